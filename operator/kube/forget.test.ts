// What is remembered of a Database is dropped on request: the next question goes to the API server.
import assert from "node:assert/strict";
import test from "node:test";
import { databaseObject } from "../../test/fakes/ports";
import { json, notFound } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import { metadataOf } from "../api/object";
import { createDatabases } from "./databases";
import { createStackRecords } from "./stack-records";

test("a record that is forgotten is read again", async (t) => {
  const { api, client } = await connected(t);
  api.on(/^GET .*secrets/, notFound);
  const records = createStackRecords({ client, namespace: "system" });
  for (let count = 0; count < 2; count++) assert.equal(await records.load("team/shop"), undefined);
  assert.equal(api.asked.length, 1);
  records.forget("team/shop");
  await records.load("team/shop");
  assert.equal(api.asked.length, 2);
});

const emptyStatus = { previous: {}, statusAfter: () => ({}) };

test("the version of a status that was written is forgotten with its Database", async (t) => {
  const { api, client } = await connected(t);
  const sent: string[] = [];
  api.on(/^PATCH .*status/, (response, nth, request) => {
    request.on("data", (part: Buffer) => sent.push(/"resourceVersion":"(\d+)"/.exec(part.toString())?.[1] ?? ""));
    json(databaseObject({}, { resourceVersion: "7" }))(response, nth, request);
  });
  const databases = createDatabases(client, { reporter: "", now: () => new Date(0), onLostEvent: () => undefined });
  const metadata = metadataOf(databaseObject());
  await databases.writeStatus(metadata, emptyStatus);
  await databases.writeStatus(metadata, emptyStatus);
  databases.forget("team/shop");
  await databases.writeStatus(metadata, emptyStatus);
  assert.deepEqual(sent, ["1", "7", "1"]);
});
