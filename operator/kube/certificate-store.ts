// The webhooks' certificates as a Secret in the operator's namespace, which all operators share.
import type { CertificateData, CertificateStore, Stored } from "../certificates/keeper";
import { versionOf } from "../objects/resource-version";
import { isApiError, type KubeClient } from "./client";
import { decode, encode, Secret, secretObject } from "./operator-secrets";
import { collection, item, resources } from "./paths";
import { Reflector } from "./reflector";

/** The name of the Secret. */
export const certificatesName = "database-operator-webhook-certificates";

export interface CertificateAccess {
  /** Reads, and creates the Secret where there is none: every operator needs it, whether it leads or not. */
  readonly common: KubeClient;
  /** Replaces it. */
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
}

export function createCertificateStore({ common, client, namespace }: CertificateAccess): CertificateStore {
  const path = item(resources.secrets, namespace, certificatesName);
  return {
    async read() {
      const found = await common.find(path);
      return found === undefined ? undefined : storedOf(found);
    },
    async create(data) {
      const body = objectOf(namespace, data);
      return unlessOvertaken(common.create(collection(resources.secrets, namespace), body));
    },
    async replace(data, version) {
      return unlessOvertaken(client.replace(path, objectOf(namespace, data, version)));
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

function objectOf(namespace: string, data: CertificateData, resourceVersion?: string): unknown {
  return secretObject(namespace, {
    name: certificatesName,
    record: "certificates",
    data: mapped(data, encode),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
}

function storedOf(object: unknown): Stored {
  const { metadata, data } = Secret.parse(object);
  return { data: mapped(data, decode), version: metadata.resourceVersion };
}

const mapped = (data: CertificateData, map: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, map(text)]));

/** Undefined where another client created, changed or deleted it meanwhile. */
async function unlessOvertaken(written: Promise<unknown>): Promise<Stored | undefined> {
  try {
    return storedOf(await written);
  } catch (error) {
    if (isApiError(error, 409) || isApiError(error, 404)) return undefined;
    throw error;
  }
}
