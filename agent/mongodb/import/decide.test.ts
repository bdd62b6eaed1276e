import assert from "node:assert/strict";
import test from "node:test";
import type { Source } from "../../import/source";
import type { ArchivedCollection } from "../backup/archive";
import {
  collectionsIn,
  countsIn,
  dumpArguments,
  loadArguments,
  timeSeriesProblem,
  versionProblem,
  viewsProblem,
  withPlainIndexes,
  writtenMeanwhile,
} from "./decide";
import { uriOf } from "./origin";

const items: ArchivedCollection = {
  ...{ database: "shop", name: "items", documents: 3 },
  indexes: [{ v: 2, ns: "shop.items", background: true, key: { n: 1 }, name: "n_1", unique: true }],
};

test("a source that is newer than the image is refused, or older than the driver knows", () => {
  assert.match(versionProblem("4.2.24", "7.0.42") ?? "", /older than 4\.4: upgrade it there first/);
  assert.equal(versionProblem("4.4.29", "7.0.42"), undefined);
  assert.equal(versionProblem("6.0.9", "7.0.42"), undefined);
  assert.equal(versionProblem("7.0.99", "7.0.42"), undefined);
  assert.match(versionProblem("8.0.1", "7.0.42") ?? "", /MongoDB 8\.0\.1, which is newer than 7\.0\.42/);
});

test("each database has an archive, and the first refusal ends its loading", () => {
  assert.deepEqual(dumpArguments("shop", "/a"), ["--gzip", "--archive=/a", "--db=shop"]);
  // not those of which a part is called so
  const common = ["--gzip", "--archive=/a", "--stopOnError", "--nsExclude=shop.system.*"];
  // a document may be older than the validator of its collection
  assert.deepEqual(loadArguments("shop", "/a", "mongod"), [...common, "--bypassDocumentValidation"]);
  assert.deepEqual(loadArguments("shop", "/a", "ferretdb"), [...common, "--noIndexRestore"]);
});

test("time series are refused by name, and views that did not arrive are missed", () => {
  const others = { timeSeries: [], views: ["shop.seen"] };
  assert.equal(timeSeriesProblem(others), undefined);
  assert.match(
    timeSeriesProblem({ ...others, timeSeries: ["shop.heat"] }) ?? "",
    /not imported: shop\.heat; copy them/,
  );
  assert.equal(viewsProblem(others, others), undefined);
  assert.match(viewsProblem(others, { ...others, views: [] }) ?? "", /not all has arrived: view shop\.seen/);
});

test("what belongs to the server is not counted, nor what has no documents of its own", () => {
  const users = { ...items, database: "admin", name: "system.users" };
  const view = { ...items, name: "seen", documents: undefined };
  const collections = collectionsIn({ collections: [items, users, view] });
  assert.deepEqual(collections, [items]);
  assert.deepEqual([...countsIn(collections)], [["shop.items", 3]]);
});

test("indexes are made without what one server tells and another refuses", () => {
  assert.deepEqual(withPlainIndexes(items).indexes, [{ key: { n: 1 }, name: "n_1", unique: true }]);
});

test("what was written while it was read is noticed, a new or a dropped collection, too", () => {
  const read = countsIn([items]);
  assert.equal(writtenMeanwhile(read, new Map(read)), undefined);
  assert.match(writtenMeanwhile(read, new Map([["shop.items", 4]])) ?? "", /shop\.items changed at the source/);
  assert.match(writtenMeanwhile(read, new Map([...read, ["shop.more", 0]])) ?? "", /shop\.more changed/);
  assert.match(writtenMeanwhile(read, new Map()) ?? "", /let nothing write there, delete/);
  const expiring = { ...items, indexes: [{ key: { at: 1 }, name: "at_1", expireAfterSeconds: 60 }] };
  assert.match(
    writtenMeanwhile(read, new Map(), [expiring]) ?? "",
    /expire: there, set the parameter ttlMonitorEnabled/,
  );
});

test("addresses have no password, and say how the way is secured", () => {
  const source: Source = {
    ...{ host: "old-db", port: 27017, databases: ["shop"], username: "a@b", password: "hunter2" },
    ...{ tls: "Verify", authorities: "" },
  };
  const entry = { directory: "/run", authSource: "admin" };
  assert.equal(
    uriOf(source, entry),
    "mongodb://a%40b@old-db:27017/?directConnection=true&authSource=admin&tls=true&tlsCAFile=%2Frun%2Fauthorities.pem",
  );
  assert.match(uriOf({ ...source, tls: "Require" }, entry), /tls=true&tlsInsecure=true$/);
  assert.match(
    uriOf({ ...source, tls: "Disable", host: "fd00::7" }, entry),
    /@\[fd00::7\]:27017\/\?[^?]*authSource=admin$/,
  );
});
