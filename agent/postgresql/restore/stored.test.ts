import assert from "node:assert/strict";
import test from "node:test";
import { backupsOf } from "../../../test/fakes/pgbackrest";
import { firstWhole } from "./stored";

const backups = backupsOf("F3", "F2", "F1");
const damaged = new Error("pgbackrest restore failed: ERROR: [029]: unable to restore file: [FormatError]");

/** Which one is copied where these fail, and how they do. */
async function copied(failures: Readonly<Record<string, Error>>): Promise<readonly string[]> {
  const tried: string[] = [];
  await firstWhole(
    backups,
    () => undefined,
    ({ label }) => {
      tried.push(label);
      const failure = failures[label];
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    },
  );
  return tried;
}

test("where a backup is damaged the next older one is copied", async () => {
  assert.deepEqual(await copied({}), ["F3"]);
  assert.deepEqual(
    await copied({ F3: damaged, F2: new Error("what lies there does not fit spec.backup.encryption") }),
    ["F3", "F2", "F1"],
  );
});

test("where all are damaged, the first one's failure is told, and another failure ends it at once", async () => {
  const older = new Error("ERROR: [039]: older");
  await assert.rejects(copied({ F3: damaged, F2: older, F1: older }), damaged);
  await assert.rejects(copied({ F3: new Error("ERROR: [049]: unable to connect") }), /049/);
});

test("a storage that refuses to answer is no damage: no older backup is tried", async () => {
  const refused = new Error("pgbackrest restore failed: ERROR: [039]: HTTP request failed with 403 (Forbidden)");
  await assert.rejects(copied({ F3: refused }), refused);
});
