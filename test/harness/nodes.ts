// Nodes that take no more pods for a while.
import type { Kubectl } from "./kubectl";

const allNodes = "--selector=kubernetes.io/os=linux";

/** While `act` goes on no new pod finds a node: what is lost stays away, and does not come back before anybody has looked. */
export async function withoutRoom<T>(kubectl: Kubectl, act: () => Promise<T>): Promise<T> {
  await kubectl("cordon", allNodes);
  try {
    return await act();
  } finally {
    await kubectl("uncordon", allNodes);
  }
}
