// Nodes that take no more pods for a while.
import type { Kubectl } from "./kubectl";

const allNodes = "--selector=kubernetes.io/os=linux";

/** While `act` goes on no new pod finds a node: what is lost stays away, and does not come back before anybody has looked. */
export async function withoutRoom(kubectl: Kubectl, act: () => Promise<void>): Promise<void> {
  await kubectl("cordon", allNodes);
  try {
    await act();
  } finally {
    await kubectl("uncordon", allNodes);
  }
}
