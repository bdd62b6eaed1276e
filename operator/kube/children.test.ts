// What a sweep deletes of volumes, by what is to be kept.
import assert from "node:assert/strict";
import test from "node:test";
import { json } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import type { Keep } from "../domain/children";
import { ClusterChildren } from "./children";

const claims = ["data-shop-0", "shop-backup", "shop-backup-staging", "of-another-client"];

for (const [keep, doomed] of [
  ["all data", ["shop-backup-staging"]],
  ["backups", ["data-shop-0", "shop-backup-staging"]],
  ["nothing", ["data-shop-0", "shop-backup", "shop-backup-staging"]],
] as const satisfies readonly (readonly [Keep, readonly string[]])[])
  test(`of volumes a deletion that keeps ${keep} takes ${doomed.join(", ")}, and no other`, async (t) => {
    const { api, client } = await connected(t);
    api.on(/^GET /, json({ items: [] }));
    api.on(/^GET .*persistentvolumeclaims\?/, json({ items: claims.map((name) => ({ metadata: { name } })) }));
    api.on(/^DELETE /, json({ kind: "Status", status: "Success" }));
    await new ClusterChildren(client).sweep("team/shop", keep);
    const deleted = api.asked.filter((line) => line.startsWith("DELETE "));
    assert.deepEqual(deleted.map((line) => /persistentvolumeclaims\/([\w-]+)/.exec(line)?.[1]).sort(), [...doomed]);
  });
