// The operator that the stories of a cluster share: a process of this machine, which some of them stop, replace or kill.
import type { LogLine, OperatorProcess } from "../harness/operator-process";
import { startOperatorProcess } from "../harness/operator-process";
import type { PlatformCluster } from "../harness/platform-cluster";
import { runAgain, type Manner } from "../harness/second-run";

export class StageOperator {
  readonly #platform: () => PlatformCluster;
  readonly #logs: (readonly LogLine[])[] = [];
  #present: OperatorProcess | undefined;

  constructor(platform: () => PlatformCluster) {
    this.#platform = platform;
  }

  /** The one that runs. Throws where none does. */
  get present(): OperatorProcess {
    if (this.#present === undefined) throw new Error("no operator runs");
    return this.#present;
  }

  /** What this one and all before it have said. */
  get log(): readonly LogLine[] {
    return this.#logs.flat();
  }

  /** `more`: settings of its environment, beside those that it has here anyway. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const { operatorEnvironment } = this.#platform();
    this.#take(await startOperatorProcess({ environment: { ...operatorEnvironment, ...more } }));
  }

  /** Without one that runs it does nothing. */
  async stop(): Promise<void> {
    const former = this.#present;
    this.#present = undefined;
    await former?.stop();
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const former = this.present;
    this.#present = undefined;
    await former.kill();
  }

  /** Does some work while no operator runs; afterwards one does, whatever came of it. */
  async whileStopped<T>(work: () => Promise<T>): Promise<T> {
    await this.stop();
    try {
      return await work();
    } finally {
      await this.start();
    }
  }

  /** Lets the operator run a converged stack once more, and returns what the run did. */
  async runAgain(place: readonly [namespace: string, name: string], manner: Manner): Promise<string> {
    const { summary, operator } = await runAgain(this.#platform(), this.present, place, manner);
    this.#take(operator);
    return summary;
  }

  #take(operator: OperatorProcess): void {
    this.#present = operator;
    this.#logs.push(operator.log);
  }
}
