// The platform's webhooks and its API of previews for an operator on this machine, in a cluster whose Services lead nowhere: theirs leads to
// a name, as the API server looks that up itself.
import { apiServiceOf, previewRightsOf } from "../../infra/preview-api";
import { authorsOf, validationOf } from "../../infra/webhooks";
import { webhookService } from "../../contract/platform";
import type { Kubectl } from "./kubectl";

const namespace = "database-operator-system";
const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };

/** Where the operator listens, and how long the API server waits for it, in seconds. */
export interface LocalWebhooks {
  readonly port: number;
  readonly timeoutSeconds: number;
}

/** What `pulumi up` installs beside the operator's Deployment where `previewApi` is set, but for versions that are converted. */
export async function installLocalWebhooks(kubectl: Kubectl, { port, timeoutSeconds }: LocalWebhooks): Promise<void> {
  const rights = previewRightsOf({ namespace });
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: webhookService.name, namespace },
    spec: { type: "ExternalName", externalName: "localhost" },
  };
  const validation = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    ...validationOf({ namespace, watchNamespaces: [] }),
  };
  const authors = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    ...authorsOf({ namespace, watchNamespaces: [] }),
  };
  const apiService = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", ...apiServiceOf({ namespace }) };
  const objects: readonly unknown[] = [
    service,
    { ...rbac, kind: "ClusterRole", ...rights.operatorRole },
    { ...rbac, kind: "ClusterRoleBinding", ...rights.operatorBinding },
    { ...rbac, kind: "ClusterRole", ...rights.askerRole },
    { ...rbac, kind: "ClusterRoleBinding", ...rights.askerBinding },
    { ...rbac, kind: "RoleBinding", ...rights.authenticationBinding },
    having({ port, timeoutSeconds }, authors),
    having({ port, timeoutSeconds }, validation),
    // a name has no ports: who looks it up names that of the operator
    having({ port }, apiService),
  ];
  const apply = ["apply", "--server-side", "--force-conflicts", "--field-manager", "database-operator-platform"];
  for (const object of objects) await kubectl.input(object, ...apply, "-f", "-");
}

/** With these values wherever it has such a field. */
const having = (values: Readonly<Record<string, number>>, object: unknown): unknown =>
  JSON.parse(JSON.stringify(object), (key, value: unknown) => (Object.hasOwn(values, key) ? values[key] : value));
