// What happens to members in the life of a cluster, done as it happens there: a node is drained, memory runs out.
import type { Kubectl } from "./kubectl";

type Place = readonly [namespace: string, pod: string];

/** The node of the pod is drained of this one pod; then it takes pods again. */
export async function drainOf(kubectl: Kubectl, [namespace, pod]: Place): Promise<void> {
  const node = await kubectl("get", "pod", pod, "-n", namespace, "-o", "jsonpath={.spec.nodeName}");
  const only = `--pod-selector=statefulset.kubernetes.io/pod-name=${pod}`;
  try {
    await kubectl("drain", node, only, "--delete-emptydir-data", "--ignore-daemonsets", "--timeout=120s");
  } finally {
    await kubectl("uncordon", node);
  }
}

/** In a file that has no name: it counts for the container, and for no process that could be ended in place of the server's. */
const fill = `
import os
file = os.memfd_create("filling")
while True: os.write(file, bytes(2 ** 20))
`;

/** The kernel ends processes of the container, as it has no more memory, until the container ends. */
export async function exhaustMemory(kubectl: Kubectl, [namespace, pod]: Place, container: string): Promise<void> {
  // it ends with the container
  await kubectl("exec", pod, "-n", namespace, "-c", container, "--", "python3", "-c", fill).catch(() => undefined);
}
