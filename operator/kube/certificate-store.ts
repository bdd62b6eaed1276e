// Certificates and the keys that sign them as a Secret in the operator's namespace: those of the webhooks, which all operators share, and of Databases.
import type { CertificateData, CertificateStore, Stored } from "../certificates/keeper";
import { versionOf } from "../objects/resource-version";
import { isApiError, type KubeClient } from "./client";
import { decode, encode, Secret, secretObject } from "./operator-secrets";
import { collection, item, resources } from "./paths";
import { Reflector } from "./reflector";

/** The name of the webhooks' Secret. */
export const certificatesName = "database-operator-webhook-certificates";

export interface CertificateAccess {
  /** Reads, and creates the Secret where there is none: every operator needs it, whether it leads or not. */
  readonly common: KubeClient;
  /** Replaces it. */
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
}

/** Which Secret it is. */
export interface CertificateSecret {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Whether what it holds counts, by its annotations; else it is as if it were empty. Default: it does. */
  readonly counts?: (annotations: Readonly<Record<string, string>>) => boolean;
}

export function createCertificateStore(
  { common, client, namespace }: CertificateAccess,
  { name, annotations = {}, counts = () => true }: CertificateSecret = { name: certificatesName },
): CertificateStore {
  const path = item(resources.secrets, namespace, name);
  const objectOf = (data: CertificateData, resourceVersion?: string): unknown =>
    secretObject(namespace, {
      ...{ name, annotations, record: "certificates", data: mapped(data, encode) },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    });
  return {
    async read() {
      const found = await common.find(path);
      if (found === undefined) return undefined;
      const { metadata } = Secret.parse(found);
      return counts(metadata.annotations) ? storedOf(found) : { data: {}, version: metadata.resourceVersion };
    },
    async create(data) {
      // 404: there is no such namespace
      return unlessOvertaken(common.create(collection(resources.secrets, namespace), objectOf(data)), 409);
    },
    async replace(data, version) {
      return unlessOvertaken(client.replace(path, objectOf(data, version)), 409, 404);
    },
  };
}

/** Reports when the Secret comes, changes or goes. */
export function watchCertificates(
  { common, namespace }: Pick<CertificateAccess, "common" | "namespace">,
  told: { readonly onChange: () => void; readonly onProblem: (cause: unknown) => void },
): Reflector<string> {
  return new Reflector({
    client: common,
    path: collection(resources.secrets, namespace),
    fieldSelector: `metadata.name=${certificatesName}`,
    metadataOnly: true,
    parse: versionOf,
    ...told,
  });
}

function storedOf(object: unknown): Stored {
  const { metadata, data } = Secret.parse(object);
  return { data: mapped(data, decode), version: metadata.resourceVersion };
}

const mapped = (data: CertificateData, map: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, map(text)]));

/** Undefined where another client created, changed or deleted it meanwhile. */
async function unlessOvertaken(
  written: Promise<unknown>,
  ...overtaken: readonly number[]
): Promise<Stored | undefined> {
  try {
    return storedOf(await written);
  } catch (error) {
    if (overtaken.some((status) => isApiError(error, status))) return undefined;
    throw error;
  }
}
