// What the import Job does with what is on the data volume already, and with a server that is not there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { importDatabase } from "./main";
import { initdbOptions } from "./target";

const former = process.env;
let volume = "";

beforeEach(async () => {
  volume = await mkdtemp(join(tmpdir(), "import-"));
  process.env = {
    ...former,
    ...{ IMPORT_HOST: "old-db", IMPORT_PORT: "5432", IMPORT_DATABASES: '["shop"]', IMPORT_TLS: "Disable" },
    ...{ IMPORT_USERNAME: "reader", IMPORT_PASSWORD: "hunter2", DATA_DIRECTORY: join(volume, "pgdata") },
  };
});
afterEach(async () => {
  process.env = former;
  await rm(volume, { recursive: true });
});

test("an attempt that was cut off after its last step has succeeded, without the source", async () => {
  await mkdir(join(volume, "pgdata"));
  await writeFile(join(volume, ".restored"), "shop of old-db:5432");
  await importDatabase();
});

test("data that no import put there are left as they are", async () => {
  await mkdir(join(volume, "pgdata"));
  await assert.rejects(importDatabase(), /data already that are not those of shop of old-db:5432/);
});

test("its server is made as Patroni makes one", () => {
  const bootstrap = readFileSync(join(__dirname, "../../../images/postgresql/patroni/bootstrap.yml"), "utf8");
  const [, listed = ""] = /initdb:\n((?: {4}.*\n)+)/.exec(bootstrap) ?? [];
  const options = [...listed.matchAll(/^ {4}- ([-\w]+)(?:: (.+))?$/gm)];
  assert.deepEqual(
    initdbOptions,
    options.map(([, name, value]) => `--${name}${value === undefined ? "" : `=${value}`}`),
  );
});
