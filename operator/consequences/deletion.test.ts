import assert from "node:assert/strict";
import test from "node:test";
import type { Effect } from "../../contract/effects";
import type { Consequence } from "./consequence";
import { deletionOf } from "./deletion";

const textOf = (consequences: readonly Consequence[]): string => consequences.map(({ message }) => message).join("\n");

const lasting = [
  { child: "PersistentVolumeClaim data-shop-0", keptWith: "data" },
  { child: "PersistentVolumeClaim shop-backup", keptWith: "backups" },
] as const;

test("a deletion says what stays and what goes, by its policy", () => {
  const [data, backup] = lasting.map(({ child }) => child);
  assert.ok(textOf(deletionOf("Retain", lasting)).endsWith(`same name: ${data}, ${backup}`));
  assert.ok(textOf(deletionOf("Delete", lasting)).endsWith(`permanently removed: ${data}, ${backup}`));
  const snapshot = textOf(deletionOf("Snapshot", lasting));
  assert.match(snapshot, /^first a last backup is taken/);
  assert.ok(snapshot.includes(`permanently removed: ${data}\n`) && snapshot.endsWith(`same name: ${backup}`));
});

test("in a namespace that is being deleted everything goes, whatever the policy says", () => {
  const found = deletionOf("Namespace", lasting);
  assert.deepEqual(
    found.map(({ effect }) => effect),
    ["Downtime", "DataLoss"],
  );
  assert.match(textOf(found), /without a last backup: permanently removed: .*data-shop-0, .*shop-backup$/);
});

test("a deletion loses data where no last backup holds them", () => {
  const effectsOf = (policy: "Retain" | "Snapshot" | "Delete"): readonly Effect[] =>
    deletionOf(policy, lasting).map(({ effect }) => effect);
  assert.deepEqual(effectsOf("Retain"), ["Downtime", "None"]);
  assert.deepEqual(effectsOf("Snapshot"), ["None", "Downtime", "None", "None"]);
  assert.deepEqual(effectsOf("Delete"), ["Downtime", "DataLoss"]);
});
