import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { provideKept } from "./kept";

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "kept-"));
});
after(async () => {
  await rm(root, { recursive: true });
});

const fillWith =
  (text: string) =>
  async (draft: string): Promise<void> => {
    await delay(5);
    await writeFile(join(draft, "content"), text);
  };
const contentOf = (directory: string): Promise<string> => readFile(join(directory, "content"), "utf8");

test("of several that want it at once one makes it, and all find it complete", async () => {
  const directory = join(root, "once", "key");
  const made: string[] = [];
  const want = (name: string): Promise<void> =>
    provideKept(directory, async (draft) => {
      made.push(name);
      await fillWith(name)(draft);
    });
  await Promise.all([want("a"), want("b"), want("c")]);
  await want("d");
  assert.equal(made.length, 1);
  assert.equal(await contentOf(directory), made[0]);
  assert.deepEqual(await readdir(join(root, "once")), ["key"]);
});

test("one that cannot be made leaves nothing, and the next one makes it", async () => {
  const directory = join(root, "failed", "key");
  const failing = async (draft: string): Promise<void> => {
    await fillWith("half of it")(draft);
    throw new Error("no luck");
  };
  await assert.rejects(provideKept(directory, failing), /no luck/);
  assert.deepEqual(await readdir(join(root, "failed")), []);
  await provideKept(directory, fillWith("all of it"));
  assert.equal(await contentOf(directory), "all of it");
});

test("what a killed process had half made is never used, and is removed", async () => {
  const directory = join(root, "killed", "key");
  const maker = spawn(process.execPath, ["--import", "tsx", join(__dirname, "kept-maker.ts"), directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(maker.stdout, "data");
  const waiting = provideKept(directory, fillWith("all of it"));
  const ended = once(maker, "exit");
  maker.kill("SIGKILL");
  await ended;
  await waiting;
  assert.equal(await contentOf(directory), "all of it");
  assert.deepEqual(await readdir(join(root, "killed")), ["key"]);
});

test("what was not used for a while is removed when another is made, drafts of dead processes too; what is in use stays", async () => {
  const parent = join(root, "old");
  for (const name of ["used", "unused"]) await provideKept(join(parent, name), fillWith(name));
  await mkdir(join(parent, "never.draft-x"));
  const longAgo = new Date(Date.now() - 3 * 3_600_000);
  for (const name of ["used", "unused", "never.draft-x"]) await utimes(join(parent, name), longAgo, longAgo);
  await provideKept(join(parent, "used"), () => Promise.reject(new Error("it is there")));
  assert.deepEqual((await readdir(parent)).sort(), ["never.draft-x", "unused", "used"]);
  await provideKept(join(parent, "new"), fillWith("new"), { unusedHours: 2 });
  assert.deepEqual((await readdir(parent)).sort(), ["new", "used"]);
});

test("of many those stay that were used last", async () => {
  const parent = join(root, "many");
  for (const [index, name] of ["first", "second", "third"].entries()) {
    await provideKept(join(parent, name), fillWith(name));
    const then = new Date(Date.now() - (10 - index) * 60_000);
    await utimes(join(parent, name), then, then);
  }
  await provideKept(join(parent, "first"), () => Promise.reject(new Error("it is there")));
  await provideKept(join(parent, "new"), fillWith("new"), { atMost: 3 });
  assert.deepEqual((await readdir(parent)).sort(), ["first", "new", "third"]);
});
