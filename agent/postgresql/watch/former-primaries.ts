// That a former primary which does not reach the Kubernetes API keeps its label: Services would continue to lead to it. A new primary takes
// the label off the others.
import { textOf } from "../../log";
import type { Log } from "../log";
import { othersAmong, renewalOf } from "./decide";
import type { Kubernetes, Server, Watch } from "./ports";

/** What it needs. */
export interface FormerPrimariesArgs {
  readonly self: string;
  readonly kubernetes: Kubernetes;
  readonly server: Pick<Server, "isPrimary">;
  readonly log: Log;
}

/** See the header. */
export class FormerPrimaries implements Watch {
  /** Between two looks of a new primary, until one has shown no other. */
  readonly pauseMs = 2_000;
  #isAlone = false;

  constructor(private readonly args: FormerPrimariesArgs) {}

  async look(): Promise<void> {
    const { self, kubernetes, server, log } = this.args;
    if (!(await server.isPrimary())) {
      this.#isAlone = false;
      return;
    }
    if (this.#isAlone) return;
    const lease = await kubernetes.lease().catch(() => undefined);
    // one that only thinks so must not depose the one that is
    if (renewalOf(lease, self) === undefined) return;
    const others = othersAmong(await kubernetes.labelledPrimary(), self);
    for (const pod of others) {
      await kubernetes.depose(pod);
      log(`${pod.name} was still labelled as the primary, and is not any more`);
    }
    this.#isAlone = others.length === 0;
  }

  /** Such as a pod that was changed in between: it is looked at again. */
  failed(error: unknown): void {
    this.args.log(`cannot tell whether others are labelled as the primary: ${textOf(error)}`);
  }
}
