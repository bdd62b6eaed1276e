// What a namespace needs to use the server: a Service that leads to this machine, and Secrets with its key and its authority.
import { account, bucket } from "./server";

const names = { credentials: "s3", ca: "s3-ca", service: "s3" } as const;

/** Of the Service: the same wherever the server listens, so that the endpoint stays as it is when the server is started again. */
const servicePort = 9000;

/** The host name of the server in a namespace. */
export const hostIn = (namespace: string): string => `${names.service}.${namespace}.svc`;

/** Its address in a namespace. */
export const endpointIn = (namespace: string): string => `https://${hostIn(namespace)}:${servicePort}`;

/** `backup.destination` of a Database. */
export interface Destination {
  readonly s3: Readonly<Record<string, unknown>>;
}

/** That of a Database of the namespace. */
export function destinationIn(namespace: string, prefix: string): Destination {
  const endpoint = endpointIn(namespace);
  const { credentials, ca } = { credentials: { name: names.credentials }, ca: { name: names.ca } };
  return { s3: { bucket, prefix, endpoint, pathStyle: true, credentials, ca } };
}

/** The Secret with the key. `secret`: another one than the right one. */
export function credentialsIn(namespace: string, secret: string = account.secret): object {
  const stringData = { accessKeyId: account.id, secretAccessKey: secret };
  return { ...core("Secret", { name: names.credentials, namespace }), stringData };
}

/** Where the server is. */
export interface Address {
  /** This machine, as pods see it. */
  readonly ip: string;
  readonly port: number;
}

export interface Reach extends Address {
  /** The authority's certificate, PEM. */
  readonly authority: string;
}

/** All of them, with the right key. */
export const objectsIn = (namespace: string, reach: Reach): readonly object[] => [
  credentialsIn(namespace),
  { ...core("Secret", { name: names.ca, namespace }), stringData: { "ca.crt": reach.authority } },
  ...serviceIn(namespace, reach),
];

/** The Service alone, where a person makes the Secrets. */
export function serviceIn(namespace: string, { ip, port }: Address): readonly object[] {
  const ofPort = { name: "https", protocol: "TCP" };
  const labels = { "kubernetes.io/service-name": names.service };
  return [
    { ...core("Service", { name: names.service, namespace }), spec: { ports: [{ ...ofPort, port: servicePort }] } },
    {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      ports: [{ ...ofPort, port }],
      metadata: { name: names.service, namespace, labels },
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    },
  ];
}

const core = (kind: string, metadata: object): object => ({ apiVersion: "v1", kind, metadata });
