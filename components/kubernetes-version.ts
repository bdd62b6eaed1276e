// The oldest Kubernetes that operator and platform work with, and what is said of an older one. It imports nothing.

/** What decides it: ValidatingAdmissionPolicy (v1) guards the installation; `fieldPath` of CRD rules and `matchConditions` of webhooks came before. */
export const OLDEST_KUBERNETES = "1.30";

/** What an API server answers at /version, such as `1` and `34`, or `30+`. */
export interface KubernetesVersion {
  readonly major: string;
  readonly minor: string;
}

/** Why that version will not do, and what to do; undefined where it will, or where it does not say. */
export function kubernetesProblem({ major, minor }: KubernetesVersion): string | undefined {
  const found = numbersOf(`${major}.${minor}`);
  const oldest = numbersOf(OLDEST_KUBERNETES);
  if (found === undefined || oldest === undefined) return undefined;
  const isNewEnough = found.major > oldest.major || (found.major === oldest.major && found.minor >= oldest.minor);
  if (isNewEnough) return undefined;
  return `this cluster runs Kubernetes ${found.major}.${found.minor}, and database-operator needs ${OLDEST_KUBERNETES} or newer: upgrade the cluster, or choose another one (kubectl config get-contexts)`;
}

function numbersOf(version: string): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
