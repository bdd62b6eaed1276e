// Restores that are cut off at each step, and what the next attempt makes of it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { exists } from "../disk";
import { restoreOnce, usedIn } from "./place";

const label = "orders-20261121T020003Z";
let volume = "";
let filled = 0;

beforeEach(async () => {
  volume = await mkdtemp(join(tmpdir(), "place-"));
  filled = 0;
});
afterEach(() => rm(volume, { recursive: true }));

const data = (): string => join(volume, "data");

/** An attempt; `after`: what happens once the copy is there. */
const attempt = (after: () => Promise<void> = () => Promise.resolve()): Promise<void> =>
  restoreOnce({ label, data: data(), log: () => undefined }, async (copy) => {
    filled++;
    await mkdir(copy);
    await writeFile(join(copy, "rows"), `copy ${filled}`);
    await after();
  });

test("data are in place once all of them are there, and another attempt leaves them", async () => {
  await attempt();
  await attempt();
  assert.equal(await readFile(join(data(), "rows"), "utf8"), "copy 1");
  assert.equal(filled, 1);
});

test("data that a member has used are known as those of the backup, and such a note does not outlive them", async () => {
  await attempt();
  await writeFile(usedIn(volume), "");
  await attempt();
  assert.equal(filled, 1);
  assert.equal(await exists(usedIn(volume)), true);
  await rm(data(), { recursive: true });
  await attempt();
  assert.equal(filled, 2);
  assert.equal(await exists(usedIn(volume)), false);
});

test("one that was cut off while it copied leaves no data, and the next begins again", async () => {
  await assert.rejects(attempt(() => Promise.reject(new Error("killed"))));
  assert.equal(await exists(data()), false);
  await attempt();
  assert.equal(await readFile(join(data(), "rows"), "utf8"), "copy 2");
});

test("one that was cut off between its mark and its rename is repeated", async () => {
  await mkdir(join(volume, "restoring"));
  await writeFile(join(volume, "restoring", "left"), "");
  await writeFile(join(volume, ".restored"), label);
  await attempt();
  assert.equal(filled, 1);
  assert.equal(await exists(join(data(), "left")), false);
});

test("data that another backup, or no restore, put there are left as they are", async () => {
  await mkdir(data());
  await assert.rejects(attempt(), /data already/);
  await writeFile(join(volume, ".restored"), "orders-20261101T020003Z");
  await assert.rejects(attempt(), /not those of orders-20261121T020003Z/);
  assert.equal(filled, 0);
});
