import assert from "node:assert/strict";
import test from "node:test";
import { ServerEnd } from "./server-end";

interface Outcome {
  readonly wake?: () => Promise<void>;
  readonly isKilled?: boolean;
  readonly note?: () => Promise<void>;
}

/** A server whose process is each of these in turn, and which ends at the look of this number. */
function watching(
  pids: readonly (number | undefined)[],
  endsAt = 1,
  { wake = () => Promise.resolve(), isKilled = false, note = () => Promise.resolve() }: Outcome = {},
): { happened: string[]; watch: ServerEnd } {
  const happened: string[] = [];
  const left = [...pids];
  let waits = 0;
  const server = {
    pid: () => Promise.resolve(left.length > 1 ? left.shift() : left[0]),
    isLeftBy: () => Promise.resolve(isKilled),
    hasEnded: (pid: number) => {
      happened.push(`wait for ${pid}`);
      waits += 1;
      return Promise.resolve(waits >= endsAt);
    },
  };
  const patroni = {
    wake: () => {
      // until it was collected, Patroni takes it for alive
      happened.push(left[0] === undefined ? "wake" : "wake too early");
      return wake();
    },
  };
  const parts = {
    ...{
      server,
      patroni,
      log: (message: string) => happened.push(message),
      now: () => new Date("2026-11-27T14:00:00Z"),
    },
    note: (at: Date) => {
      happened.push(`killed at ${at.toISOString()}`);
      return note();
    },
  };
  return { happened, watch: new ServerEnd(parts) };
}

test("Patroni is woken once the server's process has ended and was collected", async () => {
  const { happened, watch } = watching([7, 7, 7, undefined]);
  await watch.look();
  assert.deepEqual(happened, ["wait for 7", "wake"]);
});

test("a server that lives is waited for again, by what its file says then", async () => {
  const { happened, watch } = watching([7, 8, undefined], 2);
  await watch.look();
  assert.deepEqual(happened, ["wait for 7", "wait for 8", "wake"]);
});

test("nobody is woken where there is no server, or none any more", async () => {
  const none = watching([undefined]);
  await none.watch.look();
  const gone = watching([7, undefined], 9);
  await gone.watch.look();
  assert.deepEqual([none.happened, gone.happened], [[], ["wait for 7"]]);
});

test("a Patroni that cannot be woken is reported", async () => {
  const { happened, watch } = watching([7, undefined], 1, { wake: () => Promise.reject(new Error("refused")) });
  await watch.look();
  assert.match(happened.at(-1) ?? "", /Patroni was not woken: refused/);
});

test("of a server that was not told to end it is noted when it did, once Patroni is woken, whether it could be or not", async () => {
  const killed = watching([7, undefined], 1, { isKilled: true });
  await killed.watch.look();
  assert.deepEqual(killed.happened, ["wait for 7", "wake", "killed at 2026-11-27T14:00:00.000Z"]);
  const refused = (): Promise<void> => Promise.reject(new Error("refused"));
  const alone = watching([7, undefined], 1, { isKilled: true, wake: refused, note: refused });
  await alone.watch.look();
  assert.equal(alone.happened[3], "killed at 2026-11-27T14:00:00.000Z");
  assert.match(alone.happened[4] ?? "", /that is not noted: refused/);
});

test("what keeps the end from being seen is told once", () => {
  const { happened, watch } = watching([undefined]);
  watch.failed(new Error("spawn waitpid ENOENT"));
  watch.failed(new Error("spawn waitpid ENOENT"));
  assert.deepEqual(happened, ["cannot tell when the server ends: spawn waitpid ENOENT"]);
});
