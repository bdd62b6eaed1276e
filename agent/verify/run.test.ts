// The flow of a drill: how it ends, and that nothing of it stays.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import test, { afterEach, beforeEach } from "node:test";
import { exists } from "../disk";
import { DrillEnd } from "./decide";
import { runDrill, step, type Drill } from "./run";

const environment = process.env;
let data = "";
let lines: string[] = [];

beforeEach(async () => {
  data = join(await mkdtemp(join(tmpdir(), "drill-")), "data");
  lines = [];
  process.env = { ...environment, VERIFY_SECONDS: "60" };
});
afterEach(async () => {
  process.env = environment;
  await rm(join(data, ".."), { recursive: true });
});

const run = (take: (drill: Drill) => Promise<void>): Promise<void> =>
  runDrill({ data, log: (line) => lines.push(line) }, take);

test("one that passes says so, and leaves no data", async () => {
  await run(async ({ progress }) => {
    await mkdir(data);
    await writeFile(join(data, "file"), "");
    progress.label = "orders-20261121T020003Z";
  });
  assert.deepEqual(lines, ["orders-20261121T020003Z: restored and read in full"]);
  assert.equal(await exists(data), false);
});

test("one whose time runs out says at what, and ends what runs of it", async () => {
  process.env["VERIFY_SECONDS"] = "1";
  let isOver = false;
  const hangs = run((drill) => {
    drill.over.addEventListener("abort", () => {
      isOver = true;
    });
    return step(drill, "it slept", () => new Promise(() => undefined));
  });
  await assert.rejects(hangs, /^Error: no backup: NotTried: the time ran out while it slept/);
  assert.equal(isOver, true);
});

test("its data go once what may write them has ended", async () => {
  await run(async (drill) => {
    await mkdir(data);
    drill.onceOver(async () => {
      await delay(100);
      await writeFile(join(data, "last"), "");
    });
    drill.onceOver(() => Promise.reject(new Error("it was gone")));
  });
  assert.equal(await exists(data), false);
});

test("a step that fails says what that means, in the words of the error", async () => {
  const failing = (drill: Drill): Promise<void> =>
    step(
      drill,
      "it was read",
      () => Promise.reject(new Error("x is broken")),
      () => "DataDamaged",
    );
  await assert.rejects(run(failing), /no backup: Failed: x is broken/);
  const unknown = (drill: Drill): Promise<void> => step(drill, "it was read", () => Promise.reject(new Error("hm")));
  await assert.rejects(run(unknown), /NotTried: hm/);
  const own = (drill: Drill): Promise<void> =>
    step(
      drill,
      "it was read",
      () => Promise.reject(new DrillEnd("NoRoom", "full")),
      () => "DataDamaged",
    );
  await assert.rejects(run(own), /NotTried: full/);
});
