import assert from "node:assert/strict";
import test from "node:test";
import { serverEndAnnotation } from "../../../contract/server-end";
import { serverEndNotes } from "./server-end-note";

const at = new Date("2026-11-27T14:00:00Z");
const noted = (value?: string): unknown => ({
  metadata: { annotations: { status: "{}", ...(value !== undefined && { [serverEndAnnotation]: value }) } },
});

const pods: Readonly<Record<string, readonly [pod: unknown, count: number]>> = {
  "the first one": [noted(), 1],
  "the first one of a pod without annotations": [{ metadata: {} }, 1],
  "one more": [noted('{"count":2,"at":"2026-11-27T13:00:00Z"}'), 3],
  "one after what is no note": [noted("{"), 1],
};
for (const [what, [pod, count]] of Object.entries(pods)) {
  test(`an end of the server is noted on the pod that it was in: ${what}`, async () => {
    const written: unknown[] = [];
    const client = {
      get: (path: string) => {
        // a member may not get a pod
        assert.equal(path, "/api/v1/namespaces/shop/pods?fieldSelector=metadata.name%3Dorders-1");
        return Promise.resolve({ items: [pod] });
      },
      patch: (path: string, change: unknown) => Promise.resolve(void written.push(path, change)),
      podUid: () => Promise.resolve("uid-1"),
    };
    await serverEndNotes(client, { namespace: "shop", self: "orders-1" })(at);
    const annotations = { [serverEndAnnotation]: JSON.stringify({ count, at: at.toISOString() }) };
    assert.deepEqual(written, ["/api/v1/namespaces/shop/pods/orders-1", { metadata: { annotations, uid: "uid-1" } }]);
  });
}
