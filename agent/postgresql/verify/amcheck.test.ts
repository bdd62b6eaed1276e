// Which errors of amcheck are damage, and which only leave something unchecked.
import assert from "node:assert/strict";
import test from "node:test";
import type { Session } from "../server/connection";
import { checkStructure } from "./amcheck";
import { DrillEnd } from "../../verify/decide";

const failure = (code: string | undefined, text = "of the server"): Error =>
  Object.assign(new Error(text), code === undefined ? {} : { code, severity: "ERROR" });

/** Checks a table and an index with a server that answers so to the statements that contain these texts. */
async function check(
  answers: Readonly<Record<string, Error | readonly (readonly unknown[])[]>>,
): Promise<{ readonly asked: readonly string[]; readonly omitted: unknown; readonly message: string }> {
  const asked: string[] = [];
  const answer = (statement: string): Promise<readonly (readonly unknown[])[]> => {
    asked.push(statement);
    const found = Object.entries(answers).find(([text]) => statement.includes(text))?.[1];
    if (found instanceof Error) return Promise.reject(found);
    if (found !== undefined) return Promise.resolve(found);
    if (statement.includes("pg_extension")) return Promise.resolve([["tools"]]);
    return Promise.resolve(
      statement.includes("relkind") ? [...[["11", "public.orders", false]], ["12", "public.orders_pkey", true]] : [],
    );
  };
  const session: Session = {
    version: 170_012,
    run: async (statement) => {
      await answer(statement);
    },
    rows: answer,
    close: () => undefined,
  };
  const said: string[] = [];
  const ended = await checkStructure({ database: "app", session, log: (line) => said.push(line) }).catch(
    (error: unknown) => error,
  );
  return ended instanceof DrillEnd
    ? { asked, omitted: ended.finding, message: ended.message }
    : { asked, omitted: ended, message: said.join() };
}

test("each table and index is checked, an index with the rows of its table, wherever amcheck is installed", async () => {
  const { asked, omitted } = await check({});
  assert.deepEqual(omitted, []);
  assert.ok(asked.some((one) => one.includes('"tools".verify_heapam(relation := 11::regclass')));
  assert.ok(asked.some((one) => one.includes("bt_index_check(index := 12::regclass, heapallindexed := true)")));
});

test("a row of corruption is damage, and what it says is in the log alone", async () => {
  const { omitted, message } = await check({ verify_heapam: [["xmin 4111 precedes"]] });
  assert.equal(omitted, "DataDamaged");
  assert.equal(message, "table app.public.orders is damaged; the log of the drill says how");
});

for (const [code, text, omitted] of [
  ["XX001", "invalid page in block 0", "DataDamaged"],
  ["XX002", "item order invariant violated", "DataDamaged"],
  ["58P01", 'could not open file "base/5/12": No such file or directory', "DataDamaged"],
  ["58P01", 'could not access file "$libdir/postgis-3": No such file or directory', ["index app.public.orders_pkey"]],
  ["XX000", 'could not load library "/lib/x.so"', ["index app.public.orders_pkey"]],
  ["42883", "function words(text) does not exist", ["index app.public.orders_pkey"]],
  ["53200", "out of memory", ["index app.public.orders_pkey"]],
  ["53100", "could not write to file", "NoRoom"],
  ["57P01", "terminating connection", "Interrupted"],
  [undefined, "Connection terminated unexpectedly", "Interrupted"],
] as const) {
  test(`an index whose check ends with ${code ?? "no SQLSTATE"} (${text}): ${String(omitted)}`, async () => {
    assert.deepEqual((await check({ bt_index_check: failure(code, text) })).omitted, omitted);
  });
}

test("an index whose function does not run is checked by itself", async () => {
  const { asked, omitted } = await check({ "heapallindexed := true": failure("42883") });
  assert.deepEqual(omitted, ["index app.public.orders_pkey"]);
  assert.match(asked.at(-1) ?? "", /heapallindexed := false/);
});

test("where amcheck cannot be installed the database is not checked", async () => {
  assert.deepEqual((await check({ "CREATE EXTENSION": failure("42710") })).omitted, ["database app"]);
});
