import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, stepOf } from "../../test/fakes/previewed";
import type { PlannedStep } from "../domain/runner";
import type { Circumstances } from "./circumstances";
import { consequencesOf } from "./table";

const told = (operation: PlannedStep["operation"], some: Partial<Circumstances> = {}): string[] =>
  consequencesOf([stepOf("Deployment shop-archive", operation)], circumstances(some)).map(({ message }) => message);

test("a preview says what it takes to keep binary logs, of a new Database as well", () => {
  for (const exists of [true, false]) {
    const text = told("create", { exists }).join("\n");
    assert.match(text, /shop-archive, a pod that runs all the time.* from the next backup on .*needs room/);
    assert.match(text, /run on the node of that pod/);
  }
});

test("a preview says what can be restored no longer where they are kept no more", () => {
  assert.match(told("delete").join("\n"), /shop-archive ends: .* no restore goes to a moment between them/);
});

test("another image of that pod changes nothing for people", () => {
  const found = consequencesOf([stepOf("Deployment shop-archive", "update")], circumstances());
  assert.ok(found.every(({ effect }) => effect === "None"));
  assert.match(told("update").join("\n"), /continues where it was\nno member restarts$/);
});

const nowhere = "no node has the label disk=sdd";
const noBackup = `${nowhere}: until one could take their pods no backup is taken`;
for (const [what, objects, noBackupPlace, says] of [
  ["their schedule alone", ["CronJob shop-backup"], nowhere, noBackup],
  [
    "the pod of the archive as well",
    ["CronJob shop-backup", "Deployment shop-archive"],
    nowhere,
    `${noBackup}, and shop-archive keeps nothing of what changes between them`,
  ],
  ["nothing of theirs", ["Service shop"], nowhere, undefined],
  ["their schedule, and a node is there", ["CronJob shop-backup"], undefined, undefined],
] as const) {
  test(`a change of ${what} ${says === undefined ? "keeps no backup" : "keeps backups"} from being taken`, () => {
    const steps = objects.map((object) => stepOf(object, "update"));
    const found = consequencesOf(steps, circumstances({ noBackupPlace }));
    const exposed = found.filter(({ effect }) => effect === "Exposure").map(({ message }) => message);
    assert.deepEqual(exposed, says === undefined ? [] : [says]);
    assert.ok(says === undefined || !found.some(({ message }) => message.includes("continues where it was")));
  });
}
