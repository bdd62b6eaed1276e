// Minors of PostgreSQL 15, and what the servers in the images say of their parameters.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { readTables, tableFile } from "../../../tools/parameters/read";
import { builtMinors } from "../../harness/built-versions";
import { labelledPrimaries, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";

const namespace = "minors";

export const minors = story(namespace, (stage) => {
  const apply = (version: string): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase("legacy", namespace, { version, replicas: 2, storage: "1Gi", backup: { enabled: false } }),
    );

  const askMember = (pod: string, statement: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, statement);

  rotating(
    "postgresql-15",
    () => {
      test("PostgreSQL 15 goes from one minor to the next, with its rows", async () => {
        const [older, newer] = builtMinors(stage.platform, "15");
        assert.ok(older !== undefined && newer !== undefined, "Debian has one minor of PostgreSQL 15 only");
        const legacy = [namespace, "legacy"] as const;
        await apply(older);
        await untilReady(stage.kubectl, legacy, minutes(4));
        const [first] = await eventually(async () => {
          const primaries = await labelledPrimaries(stage.kubectl, legacy);
          assert.equal(primaries.length, 1);
          return primaries;
        }, minutes(1));
        await askMember(first?.name ?? "", "create table t as select generate_series(1, 1000) as x");
        await apply(newer);
        await untilReady(stage.kubectl, legacy, minutes(5));
        for (const member of ["legacy-0", "legacy-1"]) {
          await eventually(async () => {
            assert.match(
              await askMember(member, "show server_version"),
              new RegExp(`^${newer.replace(".", "\\.")}\\b`),
            );
            assert.equal(await askMember(member, "select count(*) from t"), "1000");
          }, minutes(1));
        }
      });

      test("the tables of parameters are what the servers in the images say", async () => {
        const tables = await readTables(["postgresql", "postgresql-15"], () => undefined);
        assert.deepEqual([...tables.keys()].sort(), ["15", "17"]);
        for (const [major, table] of tables) assert.equal(await readFile(tableFile(major), "utf8"), table);
      });
    },
    2,
  );
});
