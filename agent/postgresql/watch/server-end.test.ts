import assert from "node:assert/strict";
import test from "node:test";
import { ServerEnd } from "./server-end";

/** A server whose process is each of these in turn, and which ends at the look of this number. */
function watching(
  pids: readonly (number | undefined)[],
  endsAt = 1,
  wake = (): Promise<void> => Promise.resolve(),
): { happened: string[]; watch: ServerEnd } {
  const happened: string[] = [];
  const left = [...pids];
  let waits = 0;
  const server = {
    pid: () => Promise.resolve(left.length > 1 ? left.shift() : left[0]),
    isPrimary: () => Promise.resolve(true),
    hasEnded: (pid: number) => {
      happened.push(`wait for ${pid}`);
      waits += 1;
      return Promise.resolve(waits >= endsAt);
    },
    end: () => Promise.resolve(),
  };
  const patroni = {
    wake: () => {
      // until it was collected, Patroni takes it for alive
      happened.push(left[0] === undefined ? "wake" : "wake too early");
      return wake();
    },
  };
  return { happened, watch: new ServerEnd(server, patroni, (message) => happened.push(message)) };
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
  const { happened, watch } = watching([7, undefined], 1, () => Promise.reject(new Error("refused")));
  await watch.look();
  assert.match(happened.at(-1) ?? "", /Patroni was not woken: refused/);
});

test("what keeps the end from being seen is told once", () => {
  const { happened, watch } = watching([undefined]);
  watch.failed(new Error("spawn waitpid ENOENT"));
  watch.failed(new Error("spawn waitpid ENOENT"));
  assert.deepEqual(happened, ["cannot tell when the server ends: spawn waitpid ENOENT"]);
});
