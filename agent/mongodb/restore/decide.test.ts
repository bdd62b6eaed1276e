import assert from "node:assert/strict";
import test from "node:test";
import type { ArchivedCollection } from "../backup/archive";
import { collectionsIn, differenceOf, indexOf, restoreArguments, strangerOf } from "./decide";

const items: ArchivedCollection = {
  ...{ database: "app", name: "items", documents: 3 },
  indexes: [{ v: 2, key: { n: 1 }, name: "n_1", unique: true }],
};

test("of a replica set's backup the oplog decides about what it has twice, and no validator is asked", () => {
  const options = ["--bypassDocumentValidation", "--oplogReplay"];
  assert.deepEqual(restoreArguments("/a", "mongod"), ["--gzip", "--archive=/a", ...options]);
});

test("an archive of the other server is refused, with what to do", () => {
  assert.equal(strangerOf("a", "mongod", { hasOplog: true }), undefined);
  assert.equal(strangerOf("a", "ferretdb", { hasOplog: false }), undefined);
  assert.match(strangerOf("a", "ferretdb", { hasOplog: true }) ?? "", /of mongod, .* runs FerretDB: choose a version/);
  assert.match(strangerOf("a", "mongod", { hasOplog: false }) ?? "", /of FerretDB, .* runs mongod: choose a version/);
});

test("FerretDB gets neither users, which it has its own, nor indexes, whose options it refuses", () => {
  assert.deepEqual(restoreArguments("/a", "ferretdb"), [
    ...["--gzip", "--archive=/a", "--stopOnError"],
    ...["--nsExclude", "admin.system.*", "--noIndexRestore"],
  ]);
  assert.deepEqual(indexOf(items.indexes[0] ?? {}), { key: { n: 1 }, name: "n_1", unique: true });
});

test("what has arrived is compared but for users and views", () => {
  const users = { ...items, database: "admin", name: "system.users" };
  const view = { ...items, name: "seen", documents: undefined };
  const contents = { collections: [items, users, view], hasOplog: false, changes: 0, bytes: 1 };
  assert.deepEqual(collectionsIn(contents), [items]);
});

test("documents and indexes that are not there are named", () => {
  assert.equal(differenceOf(items, { documents: 3, indexes: ["_id_", "n_1"] }), undefined);
  assert.match(differenceOf(items, { documents: 2, indexes: ["n_1"] }) ?? "", /app\.items has 2 documents, and 3 in/);
  assert.match(differenceOf(items, { documents: 3, indexes: ["_id_"] }) ?? "", /app\.items lacks the index n_1/);
});
