// The platform's webhooks for an operator that is no pod: the custom resource that is converted, Service, and registration.
import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { crdsOf } from "../../infra/crds";
import { authorsOf, validationOf, webhookServiceOf } from "../../infra/webhooks";
import { parseSet, type CertificateSet } from "../../operator/certificates/certificate-set";
import { findNetwork } from "../../tools/cluster/nodes/real/network";
import { projectRoot } from "../../tools/platform/platform";
import { readSecret, type Kubectl } from "./kubectl";
import { webhookService } from "../../contract/platform";
import type { PlatformCluster } from "./platform-cluster";

const operatorNamespace = "database-operator-system";
/** The Secret that the operators share. */
export const certificates = "database-operator-webhook-certificates";

/**
 * Installs what `pulumi up` installs beside the operator's Deployment, with a Service that leads to `port` of this machine:
 * the API server takes the same path to a process here as to a pod. Needs a real node, on which Services lead somewhere.
 */
export async function installWebhooks(platform: PlatformCluster, port: number): Promise<void> {
  const network = await findNetwork(platform.cluster.directory);
  assert(network);
  const { metadata } = webhookServiceOf({ namespace: operatorNamespace });
  const ports = [{ name: "webhook", port: 443, targetPort: port }];
  const crds = crdsOf({ directory: join(projectRoot, "infra/crds"), webhookNamespace: operatorNamespace });
  const objects: Record<string, unknown>[] = [
    ...crds.map(({ metadata: named, spec: crd }) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: named,
      spec: crd,
    })),
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: webhookService.name,
        namespace: operatorNamespace,
        labels: { "kubernetes.io/service-name": webhookService.name },
      },
      addressType: "IPv4",
      ports: [{ name: "webhook", port }],
      endpoints: [{ addresses: [network.hostAddress] }],
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      ...authorsOf({ namespace: operatorNamespace, watchNamespaces: [] }),
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      ...validationOf({ namespace: operatorNamespace, watchNamespaces: [] }),
    },
  ];
  const apply = ["apply", "--server-side", "--force-conflicts", "--field-manager", "database-operator-platform"];
  for (const object of objects) await platform.kubectl.input(object, ...apply, "-f", "-");
}

const Crd = z.object({
  spec: z.object({
    conversion: z.object({ webhook: z.object({ clientConfig: z.looseObject({ caBundle: z.string().default("") }) }) }),
  }),
});
const Configuration = z.object({
  webhooks: z.tuple([z.object({ clientConfig: z.looseObject({ caBundle: z.string().default("") }) })]),
});

/** What the API server trusts, of both webhooks, as PEM. */
export async function bundlesIn(kubectl: Kubectl): Promise<string[]> {
  const crd = Crd.parse(await kubectl.find("crd", "databases.example.com"));
  const configuration = Configuration.parse(await kubectl.find("validatingwebhookconfiguration", "database-operator"));
  const texts = [crd.spec.conversion.webhook.clientConfig.caBundle, configuration.webhooks[0].clientConfig.caBundle];
  return texts.map((text) => Buffer.from(text, "base64").toString());
}

/** The certificates that the operators share. */
export async function certificatesIn(kubectl: Kubectl): Promise<CertificateSet> {
  const data = await readSecret(kubectl, certificates, operatorNamespace);
  const texts = Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()] as const);
  const set = parseSet(Object.fromEntries(texts));
  assert(set);
  return set;
}
