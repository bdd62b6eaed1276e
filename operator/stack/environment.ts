// Variables under which every Pulumi command on a Database's stack runs, the operator's and a person's.
import { delimiter, resolve } from "node:path";

export const pulumiEnvironment: Readonly<Record<string, string>> = {
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DIY_BACKEND_NO_LEGACY_WARNING: "true",
  // else every change of a ConfigMap or Secret replaces it
  PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE: "true",
  PULUMI_K8S_ENABLE_SECRET_MUTABLE: "true",
};

const withheld = /^(PULUMI_|NODE_)/;

/** KUBECONFIG with paths that hold in any directory, as runs have directories of their own; nothing where it is not set. */
export function kubeconfigOf({ KUBECONFIG: paths }: NodeJS.ProcessEnv): Record<string, string> {
  if (paths === undefined || paths === "") return {};
  const absolute = paths.split(delimiter).map((path) => (path === "" ? path : resolve(path)));
  return { KUBECONFIG: absolute.join(delimiter) };
}

/**
 * The operator's own variables reach Pulumi, as a kubeconfig may call programs that need them; Pulumi's and Node's do not:
 * a run gets everything explicitly.
 */
export function operatorsOwn(environment: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !withheld.test(entry[0]),
  );
  return { ...Object.fromEntries(given), ...kubeconfigOf(environment) };
}
