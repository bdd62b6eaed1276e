// Whether the member's own server hangs, by what is seen of it from look to look.
import type { ServerView, Standing } from "./observation";

/** Where it is: it has continued where this has changed. */
interface Place extends Pick<Standing, "what"> {
  readonly transactions: string;
}

/** How much of the time between two looks counts: more has passed where the agent itself was frozen. */
const longestStepMs = 5_000;

/** See the header. */
export class Standstill {
  #standing: (Standing & Place) | undefined;
  #lookedAt = -Infinity;

  /** Notes a look at `now`, in milliseconds. `wanted`: how many members the group is to have. */
  note(server: ServerView, wanted: number, now: number): Standing | undefined {
    const step = Math.min(now - this.#lookedAt, longestStepMs);
    this.#lookedAt = now;
    const [before, seen] = [this.#standing, this.#placeOf(server, wanted)];
    if (seen === undefined) this.#standing = undefined;
    else {
      const isSame = seen.what === before?.what && seen.transactions === before.transactions;
      this.#standing = { ...seen, ms: isSame ? before.ms + step : 0 };
    }
    return this.#standing;
  }

  #placeOf(server: ServerView, wanted: number): Place | undefined {
    const before = this.#standing;
    if (server.kind === "down") return placeOfDown(server, before);
    // it waits even if fewer members are wanted meanwhile
    const letsIn = wanted > 1 || before?.what === "commits";
    const isAlone = server.membership.members.length === 1;
    return server.committing === true && isAlone && letsIn
      ? { what: "commits", transactions: server.transactions }
      : undefined;
  }
}

function placeOfDown({ hangs, fresh }: Extract<ServerView, { kind: "down" }>, before?: Place): Place | undefined {
  if (hangs !== true) return undefined;
  // a late look must not hide what the looks before it saw
  if (before?.what === "commits") return before;
  return fresh === true ? { what: "answers", transactions: "" } : undefined;
}
