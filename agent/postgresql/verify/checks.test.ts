// What a drill makes of the ends of the programs that read all data.
import assert from "node:assert/strict";
import test from "node:test";
import type { Session } from "../server/connection";
import { readAll, type Ended } from "./checks";
import { DrillEnd } from "../../verify/decide";

/** Reads with a pg_dump that ends so, and tells what was run, which databases were checked, and what came of it. */
async function read(
  end: Ended = { code: 0, said: "" },
  { hasAmcheck = true, isAlive = true, refusal }: { hasAmcheck?: boolean; isAlive?: boolean; refusal?: Error } = {},
): Promise<{
  readonly ran: readonly string[];
  readonly opened: readonly string[];
  readonly asked: string;
  readonly omitted: unknown;
  readonly message: string;
}> {
  const [ran, opened, asked]: [string[], string[], string[]] = [[], [], []];
  const session: Session = {
    version: 170_012,
    run: () => Promise.resolve(),
    rows: (statement) => {
      asked.push(statement);
      if (statement.includes("pg_available_extensions")) return Promise.resolve(hasAmcheck ? [[]] : []);
      return Promise.resolve(
        statement.includes("pg_database")
          ? [
              ["app", "UTF8", false],
              ["o'x", "LATIN1", false],
              ["template1", "UTF8", true],
            ]
          : [],
      );
    },
    close: () => undefined,
  };
  const ended = await readAll({
    ...{ session, host: "/run", user: "postgres", isAlive: () => Promise.resolve(isAlive), log: () => undefined },
    open: (database) => {
      opened.push(database);
      return refusal !== undefined && database === "o'x" ? Promise.reject(refusal) : Promise.resolve(session);
    },
    run: (command, args) => {
      ran.push(
        [command, ...args.filter((arg, index) => /^dbname=/.test(arg) || args[index - 1] === "--encoding")].join(" "),
      );
      return Promise.resolve(end);
    },
  }).catch((error: unknown) => error);
  const isEnd = ended instanceof DrillEnd;
  const omitted: unknown = isEnd ? ended.finding : ended;
  return { ran, opened, asked: asked.join("; "), omitted, message: isEnd ? ended.message : String(ended) };
}

test("all databases are checked, and each row of each is read in the encoding that it has", async () => {
  const { ran, opened, asked, omitted } = await read();
  assert.deepEqual(opened, ["app", "o'x", "template1"]);
  assert.deepEqual(ran, ["pg_dump UTF8 dbname='app'", String.raw`pg_dump LATIN1 dbname='o\'x'`]);
  assert.deepEqual(omitted, []);
  // one whose DROP was interrupted lets no one in
  assert.match(asked, /datconnlimit <> -2/);
});

test("without amcheck that is said, and the rows are read all the same", async () => {
  const { ran, omitted } = await read(undefined, { hasAmcheck: false });
  assert.equal(ran.length, 2);
  assert.match(String(omitted), /indexes were not checked/);
});

test("a database that does not let in, for what is no damage, is named as left out", async () => {
  const refused = Object.assign(new Error("no"), { code: "42501", severity: "FATAL" });
  const { omitted } = await read(undefined, { refusal: refused });
  assert.match(String(omitted), /is database o'x: the log/);
  const damaged = Object.assign(new Error("no"), { code: "XX001", severity: "FATAL" });
  assert.equal((await read(undefined, { refusal: damaged })).omitted, "DataDamaged");
});

for (const [end, isAlive, finding] of [
  [{ code: 1, said: "ERROR: invalid page" }, true, "DataDamaged"],
  [{ code: 1, said: "the server is gone" }, false, "Interrupted"],
  [{ code: 1, said: "ERROR: out of memory" }, true, "Interrupted"],
  [{ code: 1, said: 'ERROR: could not access file "$libdir/postgis-3"' }, true, "Interrupted"],
  [{ code: 1, said: "could not write: No space left on device" }, true, "NoRoom"],
  [{ code: null, said: "" }, true, "Interrupted"],
] as const) {
  test(`pg_dump ends with ${JSON.stringify(end)}, and the server ${isAlive ? "answers" : "does not answer"}: ${finding}`, async () => {
    assert.equal((await read(end, { isAlive })).omitted, finding);
  });
}

test("of what pg_dump said the table is told, and nothing that may quote data", async () => {
  const said = 'Dumping the contents of table "orders" failed. ERROR: invalid byte: "4111111111111111"';
  const { message } = await read({ code: 1, said });
  assert.equal(message, "pg_dump cannot read table orders of database app; the log of the drill has the error");
});
