// The pods of a Job, as long as they are there: when its program began and ended, and what it says.
import { setTimeout as delay } from "node:timers/promises";
import { eventually, minutes } from "../../../test/harness/eventually";
import type { Kubectl } from "../../../test/harness/kubectl";
import { podsIn, ProgramSpans, type JobPod, type Span } from "./program-spans";

const everyMs = 100;

/** Looks at the pods of a Job until it is stopped: the operator removes a Job of a restore that has succeeded. */
export class JobWatch {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;
  readonly #job: string;
  readonly #stopped = new AbortController();
  readonly #watching: Promise<void>;
  readonly #spans = new ProgramSpans();
  #present: readonly JobPod[] = [];

  constructor(kubectl: Kubectl, namespace: string, job: string) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
    this.#job = job;
    this.#watching = this.#watch();
  }

  /** Waits until a pod of it has said something that matches, and returns that one. */
  untilSaid(pattern: RegExp): Promise<JobPod> {
    return eventually(async () => {
      const pod = this.#present.at(-1);
      if (pod === undefined) throw new Error(`Job ${this.#job} has no pod`);
      const said = await this.#kubectl("logs", pod.name, "-n", this.#namespace);
      if (!pattern.test(said)) throw new Error(`pod ${pod.name} has not said ${pattern.source} but: ${said}`);
      return pod;
    }, minutes(5));
  }

  /** From the first start of its program to its last end. Throws where none was seen. */
  async stop(): Promise<Span> {
    this.#stopped.abort();
    await this.#watching;
    const span = this.#spans.whole();
    if (span === undefined) throw new Error(`the program of Job ${this.#job} was not seen to end`);
    return span;
  }

  async #watch(): Promise<void> {
    const selector = `batch.kubernetes.io/job-name=${this.#job}`;
    for (;;) {
      // one look more after the end: the last one may be from before it
      const isLast = this.#stopped.signal.aborted;
      // an API server that is busy answers the next time
      const listed = await this.#kubectl.list("pods", { namespace: this.#namespace, selector }).catch(() => []);
      this.#present = podsIn(listed);
      this.#spans.note(this.#present);
      if (isLast) return;
      await delay(everyMs);
    }
  }
}
