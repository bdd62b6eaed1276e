// What dumps and loads, with a mysqldump and a mysql of the test's own.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import type { Source } from "../../import/source";
import { countsAt, countsOf } from "./counts";
import { statementsFor } from "./target";
import { dumpOf, loadOf, optionsOf, transfer, type Transfer } from "./transfer";

const source: Source = {
  ...{ host: "old-db", port: 3307, databases: ["shop", "stock"], username: "reader", password: String.raw`hunter\2"` },
  ...{ tls: "Verify", authorities: "authorities" },
};
const former = process.env;
let [directory, programs] = ["", ""];
let wanted: Transfer;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "transfer-"));
  programs = join(directory, "programs");
  await mkdir(programs);
  wanted = { source, app: { user: "app", password: "of the application" }, socket: "/run/own.sock", directory };
  await program("mysqldump", "printf 'USE `shop`;\\nINSERT INTO `orders` VALUES (1),(2);\\n'");
  await program("mysql", `cat >'${directory}/loaded'`);
  process.env = { ...former, PATH: [programs, former["PATH"]].join(delimiter) };
});
afterEach(async () => {
  process.env = former;
  await rm(directory, { recursive: true });
});

const program = (name: string, script: string): Promise<void> =>
  writeFile(join(programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });

test("what is dumped is loaded, and the rows that passed are told", async () => {
  assert.deepEqual(Object.fromEntries(await transfer(wanted)), { "shop.orders": 2 });
  assert.match(await readFile(join(directory, "loaded"), "utf8"), /^USE `shop`;\nINSERT INTO/);
});

test("passwords are in files of this process alone, and in no argument", async () => {
  await transfer(wanted);
  assert.doesNotMatch([...dumpOf(wanted).args, ...loadOf(wanted).args].join(" "), /hunter|of the application/);
  for (const [name, says] of [
    ["source.cnf", String.raw`password="hunter\\2""`],
    ["target.cnf", 'password="of the application"'],
  ] as const) {
    assert.ok((await readFile(join(directory, name), "utf8")).includes(says));
    assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600);
  }
});

test("the server is verified by default, and no authority is named where it is not to be", async () => {
  await transfer(wanted);
  assert.match(await readFile(join(directory, "source.cnf"), "utf8"), /ssl-mode="VERIFY_IDENTITY"[\s\S]*ssl-ca=/);
  await transfer({ ...wanted, source: { ...source, tls: "Require" } });
  const open = await readFile(join(directory, "source.cnf"), "utf8");
  assert.match(open, /ssl-mode="REQUIRED"/);
  assert.doesNotMatch(open, /ssl-ca/);
});

test("one transaction reads all databases, and both programs read their options first", () => {
  const { args } = dumpOf(wanted);
  assert.match(args[0] ?? "", /^--defaults-file=/);
  assert.match(loadOf(wanted).args[0] ?? "", /^--defaults-file=/);
  assert.ok(args.includes("--single-transaction"));
  assert.deepEqual(args.slice(-3), ["--databases", "shop", "stock"]);
  assert.equal(optionsOf({ user: "a" }), '[client]\nuser="a"\n');
});

test("tables that a dump has no rows for count as empty, and those of the server are counted one by one", async () => {
  assert.deepEqual(
    [...countsAt(["shop.orders", "shop.empty"], new Map([["shop.orders", 2]]))],
    [
      ["shop.orders", 2],
      ["shop.empty", 0],
    ],
  );
  const asked: string[] = [];
  const sql = {
    query: (statement: string): Promise<unknown> => {
      asked.push(statement);
      return Promise.resolve(
        statement.includes("information_schema") ? [{ database: "shop", name: "a`b" }] : [{ count: "3" }],
      );
    },
  };
  assert.deepEqual([...(await countsOf(sql, ["shop", "it's"]))], [["shop.a`b", 3]]);
  assert.ok(asked[0]?.includes(String.raw`IN ('shop', 'it\'s')`));
  assert.equal(asked[1], "SELECT COUNT(*) AS count FROM `shop`.`a``b`");
});

test("the application gets all rights on what is imported, and on nothing that is named like it", () => {
  const own = {
    passwords: { superuser: "s", replication: "r" },
    app: { user: "app", password: "a", database: "app" },
    monitor: { user: "monitor", password: "m" },
  };
  const statements = statementsFor(own, ["shop_1"]);
  assert.equal(statements.at(-1), String.raw`GRANT ALL ON ${"`shop\\_1`"}.* TO ${"`app`"}@'%'`);
  assert.ok(statements.some((statement) => statement.startsWith("CREATE USER IF NOT EXISTS 'app'")));
});
