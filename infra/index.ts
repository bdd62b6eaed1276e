// Composition root of the platform: what `pulumi up` installs once per cluster.
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { rawSettingsOf, settingsOf } from "./config";
import { CustomResources } from "./crds";
import { installationAnnotations, InstallationPolicy } from "./installation";
import { requireKubernetes } from "./kubernetes-version";
import { Operator } from "./operator";

const settings = settingsOf(rawSettingsOf(new pulumi.Config()), join(__dirname, ".."));
const provider = new pulumi.Config("kubernetes");
const cluster = { kubeconfig: provider.get("kubeconfig"), context: provider.get("context") };
const newEnough: Promise<pulumi.Resource[]> = requireKubernetes(cluster).then(() => []);
const resources = new CustomResources(
  "custom-resources",
  {
    directory: join(__dirname, "crds"),
    annotations: installationAnnotations({ ...settings, stack: pulumi.getStack() }),
    // without a Deployment the API server reaches no webhook
    ...(settings.image === undefined ? {} : { webhookNamespace: settings.namespace }),
  },
  // all others come after these
  { dependsOn: newEnough },
);
// after them: where another installation is, nothing is touched
new InstallationPolicy("installation", resources.names, { dependsOn: [resources] });
const operator = new Operator("operator", settings, { dependsOn: [resources] });

/** The operator's namespace. */
export const namespace = operator.namespace;
/** The custom resources that exist now. */
export const customResources = resources.names;
