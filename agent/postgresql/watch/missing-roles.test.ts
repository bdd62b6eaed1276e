import assert from "node:assert/strict";
import test from "node:test";
import { MissingRoles } from "./missing-roles";

test("a new primary makes the roles once, and again where it becomes one again", async () => {
  let isPrimary = false;
  let made = 0;
  const sql = {
    ensureRoles: () => {
      made += 1;
      return Promise.resolve();
    },
  };
  const watch = new MissingRoles({ isPrimary: () => Promise.resolve(isPrimary) }, sql, () => undefined);
  const looks: [boolean, number][] = [];
  for (const now of [false, true, true, false, true]) {
    isPrimary = now;
    await watch.look();
    looks.push([now, made]);
  }
  assert.deepEqual(looks, [
    [false, 0],
    [true, 1],
    [true, 1],
    [false, 1],
    [true, 2],
  ]);
});

test("what keeps it from that is told once, and it is tried again", async () => {
  const lines: string[] = [];
  let isDown = true;
  const sql = {
    ensureRoles: () => (isDown ? Promise.reject(new Error("the server starts")) : Promise.resolve()),
  };
  const watch = new MissingRoles({ isPrimary: () => Promise.resolve(true) }, sql, (line) => lines.push(line));
  const look = (): Promise<void> =>
    watch.look().catch((error: unknown) => {
      watch.failed(error);
    });
  await look();
  await look();
  isDown = false;
  await look();
  assert.deepEqual(lines, ["the roles of other programs are not there yet: the server starts"]);
});
