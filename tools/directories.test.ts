import assert from "node:assert/strict";
import { homedir } from "node:os";
import test from "node:test";
import { cacheDirectory, clustersDirectory, portsDirectory } from "./directories";

test("the cache is where the project's own variable says, else in XDG's place, else in the home directory", () => {
  assert.equal(cacheDirectory({ DATABASE_OPERATOR_CACHE: "/c", XDG_CACHE_HOME: "/x" }), "/c");
  assert.equal(cacheDirectory({ XDG_CACHE_HOME: "/x" }), "/x/database-operator");
  assert.equal(cacheDirectory({}), `${homedir()}/.cache/database-operator`);
});

test("clusters and claims of ports are in XDG's place for state, else in the home directory", () => {
  assert.equal(clustersDirectory({ XDG_STATE_HOME: "/x" }), "/x/database-operator/clusters");
  assert.equal(portsDirectory({ XDG_STATE_HOME: "/x" }), "/x/database-operator/ports");
  assert.equal(clustersDirectory({ XDG_STATE_HOME: "" }), `${homedir()}/.local/state/database-operator/clusters`);
});
