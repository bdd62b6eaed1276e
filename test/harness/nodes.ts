// Nodes that take no more pods for a while.
import { z } from "zod";
import type { Kubectl } from "./kubectl";

const allNodes = "--selector=kubernetes.io/os=linux";

/** While `act` runs no new pod finds a node: what is lost stays away, and does not come back before the test has looked. */
export async function withoutRoom<T>(kubectl: Kubectl, act: () => Promise<T>): Promise<T> {
  await kubectl("cordon", allNodes);
  try {
    return await act();
  } finally {
    await kubectl("uncordon", allNodes);
  }
}

const Node = z.object({ metadata: z.object({ name: z.string() }), status: z.object({ allocatable: z.unknown() }) });

/**
 * While `act` runs simulated nodes are full: unlike cordoned ones they could take pods as far as anybody can tell beforehand, and new
 * pods wait all the same.
 */
export async function whileFull<T>(kubectl: Kubectl, act: () => Promise<T>): Promise<T> {
  const nodes = z.array(Node).parse(await kubectl.list("nodes"));
  const setRoom = async (roomOf: (allocatable: unknown) => unknown): Promise<void> => {
    for (const { metadata, status } of nodes) {
      const change = JSON.stringify({ status: { allocatable: roomOf(status.allocatable) } });
      await kubectl("patch", "node", metadata.name, "--subresource=status", "--type=merge", "-p", change);
    }
  };
  await setRoom(() => ({ pods: "0" }));
  try {
    return await act();
  } finally {
    await setRoom((allocatable) => allocatable);
  }
}
