// What members are known by, and what clients know them by: two Secrets of a Database with TLS.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { tlsKeys } from "../contract/tls";
import type { Certificates } from "./args";
import { secretOf } from "./credentials";
import { authoritySecretName, tlsSecretName } from "./naming";
import type { PartArgs } from "./part";
import { clientModeValues } from "./tls";

/** What `ServerCertificates` is created from. */
export interface ServerCertificatesArgs extends PartArgs {
  readonly certificates: Certificates;
}

type Texts = Record<string, string>;

const trustOf = (authorities: string): Texts => ({ [tlsKeys.authorities]: authorities });

const identityOf = ({ authorities, certificate, key }: pulumi.Unwrap<Certificates>): Texts => ({
  ...trustOf(authorities),
  [tlsKeys.certificate]: certificate,
  [tlsKeys.key]: key,
});

/** The Secrets `<name>-server-tls` and `<name>-ca`. They outlive the stack, as the data do: a Database that is created over these has them at once. */
export class ServerCertificates extends pulumi.ComponentResource {
  constructor(
    name: string,
    { settings, certificates }: ServerCertificatesArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("databases:index:ServerCertificates", name, {}, opts);
    const child = { parent: this, retainOnDelete: true };
    const forClients = pulumi
      .output(certificates.authorities)
      .apply((authorities) => ({ ...trustOf(authorities), ...clientModeValues(settings) }));
    const forMembers = pulumi.secret(certificates).apply(identityOf);
    for (const [secret, values] of [
      [tlsSecretName(name), forMembers],
      [authoritySecretName(name), forClients],
    ] as const) {
      new k8s.core.v1.Secret(secret, secretOf(settings, secret, values), child);
    }
    this.registerOutputs({});
  }
}
