// Chooses between real and simulated nodes, by what was asked for and what this machine can do.
import type { Progress } from "../../progress";
import type { NodeKind, NodePool } from "./nodes";
import { realNodes, type RealNodesArgs } from "./real/real-nodes";
import { type SimulatedNodesArgs, simulatedNodes } from "./simulated/simulated";

/** What a person may ask for: a kind, or `auto` for real nodes where they can run. */
export type NodeChoice = NodeKind | "auto";

/** For whichever kind it comes to be. */
export interface NodesArgs {
  readonly real?: RealNodesArgs;
  readonly simulated?: SimulatedNodesArgs;
}

/** The nodes of a kind. */
export function poolOf(kind: NodeKind, { real = {}, simulated = {} }: NodesArgs = {}): NodePool {
  switch (kind) {
    case "real":
      return realNodes.pool(real);
    case "simulated":
      return simulatedNodes(simulated);
  }
}

/** The kind to use. With `auto`, says which it is and why; throws when real nodes are asked for and cannot run. */
export async function chooseNodes(choice: NodeChoice, progress: Progress): Promise<NodeKind> {
  if (choice === "simulated") return choice;
  const obstacle = await realNodes.obstacle();
  if (obstacle === undefined) return "real";
  if (choice === "real") throw new Error(`real nodes cannot run here: ${obstacle}`);
  progress.line(
    `Nodes are simulated: pods become Ready, but nothing runs in them. Real ones cannot run here: ${obstacle}.`,
  );
  return "simulated";
}
