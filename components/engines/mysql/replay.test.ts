import assert from "node:assert/strict";
import test from "node:test";
import { archiveMebibytesOf, replayParametersOf } from "./replay";

const mebibytesWith = (limit?: string): number =>
  archiveMebibytesOf({
    version: "9.7",
    config: limit === undefined ? {} : { group_replication_transaction_size_limit: limit },
  });

test("the pod that copies binary logs has room for the largest transaction, twice", () => {
  assert.equal(mebibytesWith(), 512);
  assert.equal(mebibytesWith("64M"), 512);
  assert.equal(mebibytesWith("512M"), 1224);
  assert.equal(mebibytesWith("0"), 4296, "without a limit it is what the server can do at most");
});

test("changes are replayed with the parameters that decide what they leave behind, and no others", () => {
  const config = { partial_revokes: "ON", max_connections: "100", innodb_ft_min_token_size: "2", server_id: "7" };
  assert.deepEqual(replayParametersOf({ config }), { innodb_ft_min_token_size: "2", partial_revokes: "ON" });
});
