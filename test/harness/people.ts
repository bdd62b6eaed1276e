// People with rights of their own, for whom ServiceAccounts stand in.
import { kubeconfigOf } from "./platform-cluster";
import type { Kubectl } from "./kubectl";

/** Theirs: an account of a Database's own namespace, as which others can act, approves nothing there. */
const people = "people";

/** By which name the API server knows a person. */
export const userOf = (name: string): string => `system:serviceaccount:${people}:${name}`;

export interface Person {
  readonly name: string;
  /** Where they have rights. */
  readonly namespace: string;
  /** ClusterRoles that they have there, and nothing else. */
  readonly roles: readonly string[];
}

/** Returns the kubeconfig of a new one. */
export async function newPerson(kubectl: Kubectl, { name, namespace, roles }: Person): Promise<string> {
  await kubectl.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: people } });
  await kubectl("create", "serviceaccount", name, "-n", people);
  const account = ["-n", namespace, `--serviceaccount=${people}:${name}`];
  for (const role of roles)
    await kubectl("create", "rolebinding", `${name}-${role}`, `--clusterrole=${role}`, ...account);
  return kubeconfigOf(name, kubectl, people);
}

/** Whether the API server's authorizer would let them do it: for what makes no sense as a request. */
export const may = (who: Kubectl, ...args: string[]): Promise<boolean> =>
  who("auth", "can-i", ...args).then(
    () => true,
    () => false,
  );
