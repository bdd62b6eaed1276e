import assert from "node:assert/strict";
import test from "node:test";
import { settle } from "../fakes/manual-clock";
import { pooled, type Task } from "./pool";

/** Tasks that end when they are asked to, and which of them continue. */
function tasksOf(
  kinds: string,
  atOnce: number,
): { tasks: Task<string>[]; going: () => string; end: (name: string) => void } {
  const ends = new Map<string, () => void>();
  const tasks = kinds.split(" ").map((name): Task<string> => {
    const run = (): Promise<string> =>
      new Promise((resolve) => {
        ends.set(name, () => {
          ends.delete(name);
          resolve(name);
        });
      });
    return { kind: name.slice(0, 1), atOnce, run };
  });
  return { tasks, going: () => [...ends.keys()].join(" "), end: (name) => ends.get(name)?.() };
}

const idle = (): boolean => false;

test("a limited number run in all, and of each kind; the first that has room begins next", async () => {
  const { tasks, going, end } = tasksOf("a1 a2 a3 b1 b2 b3", 2);
  const all = pooled(tasks, 3, idle);
  await settle();
  assert.equal(going(), "a1 a2 b1");
  end("b1");
  await settle();
  assert.equal(going(), "a1 a2 b2");
  end("a1");
  await settle();
  assert.equal(going(), "a2 b2 a3");
  for (const name of ["a2", "a3", "b2"]) end(name);
  await settle();
  end("b3");
  assert.deepEqual(await all, ["a1", "a2", "a3", "b1", "b2", "b3"]);
});

test("nothing to do is done at once, and an error is passed on", async () => {
  assert.deepEqual(await pooled([], 2, idle), []);
  const failing: Task<never> = { kind: "a", atOnce: 1, run: () => Promise.reject(new Error("it broke")) };
  await assert.rejects(pooled([failing], 1, idle), /it broke/);
});

test("on a busy machine two run at a time, and the next begins beside them once there is room", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { tasks, going, end } = tasksOf("a1 a2 a3 a4", 3);
  let busy = true;
  const all = pooled(tasks, 3, () => busy);
  await settle();
  assert.equal(going(), "a1 a2");
  end("a1");
  await settle();
  assert.equal(going(), "a2 a3");
  t.mock.timers.tick(60_000);
  assert.equal(going(), "a2 a3");
  busy = false;
  t.mock.timers.tick(2000);
  await settle();
  assert.equal(going(), "a2 a3 a4");
  for (const name of ["a2", "a3", "a4"]) end(name);
  assert.deepEqual(await all, ["a1", "a2", "a3", "a4"]);
});
