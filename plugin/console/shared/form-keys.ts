// The keys of forms, the same in all pods: a page of one may be sent to another, so they are made of what all have mounted.
import { hkdfSync } from "node:crypto";
import type { FormKeys } from "../web/settings";

/** A new one makes no tokens until every pod has read it: a mounted Secret is replaced within a minute or two. */
const settlesMs = 5 * 60_000;
/** For as long the former one is still taken. */
const formerMs = 24 * 60 * 60_000;

export class SharedFormKeys {
  #newest: Buffer;
  #since: number;
  #former: Buffer | undefined;

  /** `privateKey`: of the console's certificate, as it is in its file. */
  constructor(
    privateKey: string,
    private readonly now: () => Date,
  ) {
    this.#newest = keyOf(privateKey);
    this.#since = now().getTime();
  }

  renew(privateKey: string): void {
    const next = keyOf(privateKey);
    if (next.equals(this.#newest)) return;
    this.#former = this.#newest;
    this.#newest = next;
    this.#since = this.now().getTime();
  }

  get current(): FormKeys {
    const age = this.now().getTime() - this.#since;
    if (this.#former === undefined || age >= formerMs) return [this.#newest];
    return age < settlesMs ? [this.#former, this.#newest] : [this.#newest, this.#former];
  }
}

const keyOf = (privateKey: string): Buffer =>
  Buffer.from(hkdfSync("sha256", privateKey, "", "tokens of forms of the console", 32));
