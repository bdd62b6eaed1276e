// For how long a server has stood still: a commit waits at every look, and none has come through, or an empty server answers nothing.
import type { ServerView } from "./observation";

/** See the header. */
export class Standstill {
  #since: number | undefined;
  #at: string | undefined;

  /** Takes note of a look at the own server at `now`, in milliseconds, and says for how many of them it has stood still. */
  note(server: ServerView, now: number): number {
    const at = placeOf(server);
    if (at === undefined) this.#since = undefined;
    else if (this.#since === undefined || this.#at !== at) this.#since = now;
    this.#at = at;
    return this.#since === undefined ? 0 : now - this.#since;
  }
}

/** Where it stands, which changes as it goes on; undefined where it does not seem to stand still. */
function placeOf(server: ServerView): string | undefined {
  if (server.kind === "down") return server.hangsEmpty === true ? "no answer" : undefined;
  return server.committing === true ? server.transactions : undefined;
}
