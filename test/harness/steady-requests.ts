// Requests, one after the other, while something happens to whatever answers them.
import assert from "node:assert/strict";
import { eventually, minutes } from "./eventually";

/** Requests in progress. */
export interface SteadyRequests {
  /** Resolves after five more answers. Rejects where a request fails. */
  untilAnswered(): Promise<void>;
  /** Ends them. Rejects where one has failed. */
  end(): Promise<void>;
}

/** Asks again and again, until it is ended or a request fails. */
export function askSteadily(ask: () => Promise<unknown>): SteadyRequests {
  const ended = new AbortController();
  let answers = 0;
  const asked = (async () => {
    for (; !ended.signal.aborted; answers++) await ask();
  })();
  return {
    async untilAnswered() {
      const enough = answers + 5;
      const answered = eventually(() => {
        assert.ok(answers >= enough, `${answers} of ${enough} requests were answered`);
      }, minutes(1));
      await Promise.race([answered, asked]);
    },
    end() {
      ended.abort();
      return asked;
    },
  };
}
