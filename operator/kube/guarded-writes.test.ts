import assert from "node:assert/strict";
import test from "node:test";
import { databaseObject } from "../../test/fakes/ports";
import { metadataOf } from "../api/object";
import type { Condition, DatabaseStatus } from "../api/status";
import { ApiError } from "./client";
import { GuardedWrites } from "./guarded-writes";

/** A Database in an API server that refuses writes over an outdated version; undefined: there is none. */
class Server {
  object: { uid: string; version: number } | undefined = { uid: "uid-1", version: 1 };
  reads = 0;
  readonly writes: string[] = [];

  readonly find = (): Promise<unknown> => {
    this.reads++;
    return Promise.resolve(this.object && this.#sent(this.object));
  };

  readonly write = ({ resourceVersion }: { readonly resourceVersion: string }): Promise<unknown> => {
    this.writes.push(resourceVersion);
    if (this.object === undefined) return Promise.reject(new ApiError(404, "NotFound", "gone"));
    if (String(this.object.version) !== resourceVersion)
      return Promise.reject(new ApiError(409, "Conflict", "outdated"));
    this.object = { ...this.object, version: this.object.version + 1 };
    return Promise.resolve(this.#sent(this.object));
  };

  #sent({ uid, version }: { readonly uid: string; readonly version: number }): unknown {
    return databaseObject({}, { uid, resourceVersion: String(version) });
  }
}

const copy = metadataOf(databaseObject());

test("our own writes follow each other without a read, however old the watch's copy is", async () => {
  const server = new Server();
  const writes = new GuardedWrites(server);
  for (let count = 0; count < 3; count++) await writes.write(copy, server.write);
  assert.deepEqual(server.writes, ["1", "2", "3"]);
  assert.equal(server.reads, 0);
});

test("a write that lost to another client's is repeated on top of it", async () => {
  const server = new Server();
  server.object = { uid: "uid-1", version: 7 };
  const written = await new GuardedWrites(server).write(copy, server.write);
  assert.equal(written?.resourceVersion, "8");
  assert.deepEqual(server.writes, ["1", "7"]);
});

test("a status is based on the object's current one, also on our own whose answer was lost", async () => {
  const conditionAt = (lastTransitionTime: string): Condition => ({
    ...{ type: "Reconciling", status: "True", reason: "Updating", message: "", lastTransitionTime },
    observedGeneration: 1,
  });
  let kept: DatabaseStatus = {};
  let version = 1;
  const object = (): unknown => ({ ...databaseObject({}, { resourceVersion: String(version) }), status: kept });
  const writes = new GuardedWrites({ find: () => Promise.resolve(object()) });
  const write = (at: string, isAnswered: boolean): Promise<unknown> => {
    const statusAfter = ({ conditions = [] }: DatabaseStatus): DatabaseStatus => ({
      conditions: conditions.length > 0 ? conditions : [conditionAt(at)],
    });
    return writes.writeStatus(copy, { previous: {}, statusAfter }, ({ resourceVersion }, status) => {
      if (resourceVersion !== String(version)) return Promise.reject(new ApiError(409, "Conflict", "outdated"));
      kept = status;
      version++;
      return isAnswered ? Promise.resolve(object()) : Promise.reject(new Error("socket hang up"));
    });
  };
  await assert.rejects(write("2026-01-01T00:00:00Z", false), /socket/);
  const written = await write("2026-01-01T00:00:09Z", true);
  assert.deepEqual(kept, { conditions: [conditionAt("2026-01-01T00:00:00Z")] });
  assert.deepEqual(written, { version: "3", status: kept });
});

test("a Database that was recreated under the same name is not written to", async () => {
  const server = new Server();
  server.object = { uid: "uid-2", version: 7 };
  assert.equal(await new GuardedWrites(server).write(copy, server.write), undefined);
  assert.equal(server.object.version, 7);
});

test("a Database that is gone is not written to, and that is not an error", async () => {
  const server = new Server();
  server.object = undefined;
  assert.equal(await new GuardedWrites(server).write(copy, server.write), undefined);
});

test("a client that writes without pause is not fought forever", async () => {
  const server = new Server();
  const writes = new GuardedWrites(server);
  const refused = (): Promise<unknown> => Promise.reject(new ApiError(409, "Conflict", "outdated"));
  await assert.rejects(writes.write(copy, refused), ApiError);
});
