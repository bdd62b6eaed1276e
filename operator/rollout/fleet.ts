// Restarts that the platform asks for, such as another image or another version of the operator, over all Databases: one first, the others once
// that one is through, some at a time, and none any more once one does not come back. What a Database's own spec asks for is not held back.
import type { Key } from "../domain/key";
import type { RolloutStanding, Fleet } from "../domain/ports";

export interface FleetArgs {
  /** How many Databases may be restarting at a time once the first one is through. At least 1. */
  readonly atOnce: number;
  /** Has a Database looked at that was held back. */
  readonly wake: (key: Key) => void;
}

/**
 * Remembers what turns have reported of their Databases. A new leader knows nothing until they have had a turn: until then one more may
 * begin than there should.
 */
export class FleetMemory implements Fleet {
  readonly #begun = new Map<Key, RolloutStanding>();
  /** Members of those that are held back, in the order in which they asked. */
  readonly #held = new Map<Key, number>();
  /** Whether a Database has come through since nothing was to be restarted. */
  #isProven = false;

  constructor(private readonly args: FleetArgs) {}

  ask(key: Key, members: number): string | undefined {
    // one that asks has not begun, whatever was thought of it: two of them would each wait for the other
    const wasBegun = this.#begun.delete(key);
    const reason = this.#reasonAgainst(key, members);
    if (reason !== undefined) {
      if (wasBegun) this.#wakeSome();
      this.#held.set(key, members);
      return reason;
    }
    this.#held.delete(key);
    this.#begun.set(key, { kind: "restarting" });
    return undefined;
  }

  note(key: Key, standing: RolloutStanding): void {
    const before = this.#begun.get(key);
    this.#begun.set(key, standing);
    if (before?.kind === "stopped" && standing.kind === "restarting") this.#wakeSome();
  }

  done(key: Key): void {
    if (this.#begun.has(key)) this.#isProven = true;
    this.forget(key);
  }

  forget(key: Key): void {
    const wasThere = [this.#begun.delete(key), this.#held.delete(key)].some(Boolean);
    if (this.#begun.size + this.#held.size === 0) this.#isProven = false;
    else if (wasThere) this.#wakeSome();
  }

  #reasonAgainst(key: Key, members: number): string | undefined {
    const others = [...this.#begun].filter(([other]) => other !== key);
    for (const [other, standing] of others)
      if (standing.kind === "stopped") return `${other} does not complete (${standing.why})`;
    const first = this.#isProven ? undefined : (others[0]?.[0] ?? this.#largerThan(key, members));
    if (first !== undefined) return `${first} goes first`;
    return others.length >= this.args.atOnce
      ? `${others.length} other Databases are being restarted, as many as may be at a time`
      : undefined;
  }

  /** One that waits and has members that can stand in for another; a single member goes after it. */
  #largerThan(key: Key, members: number): Key | undefined {
    return members > 1 ? undefined : [...this.#held].find(([other, count]) => other !== key && count > 1)?.[0];
  }

  #wakeSome(): void {
    const count = Math.max(1, this.args.atOnce - this.#begun.size);
    // those with several members first, as they are let go first
    const waiting = [...this.#held].sort(([, left], [, right]) => Number(right > 1) - Number(left > 1));
    for (const [key] of waiting.slice(0, count)) this.args.wake(key);
  }
}
