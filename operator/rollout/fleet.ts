// Restarts that the platform asks for, such as another image or another version of the operator, over all Databases: one first, the others once
// that one is through, some at a time, and none any more once one does not come back. What a Database's own spec asks for is not held back; and
// what a ConfigMap of a namespace asks for holds back none of other namespaces, as who writes it need not be who runs the platform.
import { placeOf, type Key } from "../domain/key";
import type { Asking, Fleet, Reach, RolloutStanding } from "../domain/ports";

export interface FleetArgs {
  /** How many Databases may be restarting at a time once the first one is through. At least 1. */
  readonly atOnce: number;
  /** Has a Database looked at that was held back. */
  readonly wake: (key: Key) => void;
}

/** Of which restarts one goes first: those of the platform, or of a namespace. */
type Scope = string;
const everywhere: Scope = "";

interface Begun {
  readonly standing: RolloutStanding;
  readonly scope: Scope;
}

const isRestarting = ({ standing }: Begun): boolean => standing.kind === "restarting";

interface Held {
  readonly members: number;
  readonly scope: Scope;
}

const namespaceOf = (key: Key): Scope => placeOf(key).namespace;
const scopeOf = (key: Key, reach: Reach): Scope => (reach === "namespace" ? namespaceOf(key) : everywhere);

/**
 * Remembers what turns have reported of their Databases. A new leader knows nothing until they have had a turn: until then one more may
 * begin than there should.
 */
export class FleetMemory implements Fleet {
  readonly #begun = new Map<Key, Begun>();
  /** Those that are held back, in the order in which they asked. */
  readonly #held = new Map<Key, Held>();
  /** Where a Database has come through since nothing was to be restarted there. */
  readonly #proven = new Set<Scope>();

  constructor(private readonly args: FleetArgs) {}

  ask(key: Key, { members, reach }: Asking): string | undefined {
    const asking = { members, scope: scopeOf(key, reach) };
    // one that asks has not begun, whatever was thought of it: two of them would each wait for the other
    const wasBegun = this.#begun.delete(key);
    const reason = this.#reasonAgainst(key, asking);
    if (reason !== undefined) {
      if (wasBegun) this.#wakeSome();
      this.#held.set(key, asking);
      return reason;
    }
    this.#held.delete(key);
    this.#begun.set(key, { standing: { kind: "restarting" }, scope: asking.scope });
    return undefined;
  }

  note(key: Key, standing: RolloutStanding, reach: Reach): void {
    const before = this.#begun.get(key)?.standing;
    this.#begun.set(key, { standing, scope: scopeOf(key, reach) });
    if (before?.kind === "stopped" && standing.kind === "restarting") this.#wakeSome();
  }

  done(key: Key): void {
    const begun = this.#begun.get(key);
    if (begun !== undefined) this.#proven.add(begun.scope);
    this.forget(key);
  }

  forget(key: Key): void {
    const wasThere = [this.#begun.delete(key), this.#held.delete(key)].some(Boolean);
    const scopes = new Set([...this.#begun.values(), ...this.#held.values()].map(({ scope }) => scope));
    for (const scope of this.#proven) if (!scopes.has(scope)) this.#proven.delete(scope);
    if (wasThere) this.#wakeSome();
  }

  #reasonAgainst(key: Key, { members, scope }: Held): string | undefined {
    const others = [...this.#begun].filter(([other]) => other !== key);
    for (const [other, { standing, scope: reached }] of others)
      if (standing.kind === "stopped" && [everywhere, namespaceOf(key)].includes(reached))
        return `${other} does not complete (${standing.why})`;
    const before = others.find(([, begun]) => begun.scope === scope)?.[0];
    const first = this.#proven.has(scope) ? undefined : (before ?? this.#largerThan(key, { members, scope }));
    if (first !== undefined) return `${first} goes first`;
    // one that is stopped in another namespace may be so for long
    const count = others.filter(([, begun]) => isRestarting(begun)).length;
    return count >= this.args.atOnce
      ? `${count} other Databases are being restarted, as many as may be at a time`
      : undefined;
  }

  /** One that waits and has members that can stand in for another; a single member goes after it. */
  #largerThan(key: Key, { members, scope }: Held): Key | undefined {
    if (members > 1) return undefined;
    return [...this.#held].find(([other, held]) => other !== key && held.scope === scope && held.members > 1)?.[0];
  }

  #wakeSome(): void {
    const count = Math.max(1, this.args.atOnce - [...this.#begun.values()].filter(isRestarting).length);
    // those with several members first, as they are let go first; and none that is held back by what holds back its namespace alone
    const waiting = [...this.#held]
      .filter(([key, held]) => this.#reasonAgainst(key, held) === undefined)
      .sort(([, left], [, right]) => Number(right.members > 1) - Number(left.members > 1));
    for (const [key] of waiting.slice(0, count)) this.args.wake(key);
  }
}
