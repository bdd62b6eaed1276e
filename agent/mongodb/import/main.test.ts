// What the import Job does with what is on the data volume already.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { runImport } from "./main";

const former = process.env;
let volume = "";

beforeEach(async () => {
  volume = await mkdtemp(join(tmpdir(), "import-"));
  process.env = {
    ...former,
    ...{ IMPORT_HOST: "old-db", IMPORT_PORT: "27017", IMPORT_DATABASES: '["shop","stock"]', IMPORT_TLS: "Disable" },
    ...{ IMPORT_USERNAME: "reader", IMPORT_PASSWORD: "hunter2", MONGODB_SERVER: "ferretdb", DATA_VOLUME: volume },
    RUN_DIRECTORY: join(volume, "run"),
  };
});
afterEach(async () => {
  process.env = former;
  await rm(volume, { recursive: true });
});

test("an attempt that was cut off after its last step has succeeded, without the source", async () => {
  await mkdir(join(volume, "ferretdb"));
  await writeFile(join(volume, ".restored"), "shop, stock of old-db:27017");
  await runImport();
});

test("data that no import put there are left as they are", async () => {
  await mkdir(join(volume, "ferretdb"));
  await assert.rejects(runImport(), /data already that are not those of shop, stock of old-db:27017/);
  assert.ok((await readdir(volume)).includes("ferretdb"));
});
