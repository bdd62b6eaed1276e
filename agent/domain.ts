// The names by which the pods of a StatefulSet know each other.

/**
 * The domain of the members, from the hosts file that the kubelet writes: it has the pod's full name, whatever the cluster's
 * domain is, and by it a member finds its own address without asking a name server, which may still have the previous one.
 */
export function domainOf(self: string, hosts: string): string {
  const names = hosts.split("\n").flatMap((line) => line.replace(/#.*/, "").trim().split(/\s+/).slice(1));
  const full = names.find((name) => name.startsWith(`${self}.`));
  if (full === undefined)
    throw new Error(`/etc/hosts has no full name of ${self}: the pod must be one of a StatefulSet`);
  return full.slice(self.length + 1);
}

/** The number at the end of a pod's name. Throws where there is none. */
export function ordinalOf(pod: string): number {
  const [, digits] = /-(\d+)$/.exec(pod) ?? [];
  if (digits === undefined) throw new Error(`"${pod}" is not a pod of a StatefulSet: its name must end in a number`);
  return Number(digits);
}
