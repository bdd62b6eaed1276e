import assert from "node:assert/strict";
import test from "node:test";
import { byEngine } from "../../contract/engines";
import { catalogueOf } from "./catalogue";
import { versionIn } from "./recipes";

test("the catalogue lists every engine, and servers by their true version", () => {
  const image = "docker.io/library/database-operator-postgresql:17.6-0123456789ab";
  const catalogue = catalogueOf([
    { name: "pause", image: "docker.io/library/database-operator-pause:1", archive: "/a.tar", packages: [] },
    { name: "postgresql", image, archive: "/b.tar", packages: [], server: { engine: "postgresql", version: "17.6" } },
  ]);
  assert.deepEqual(catalogue, { ...byEngine(() => ({})), postgresql: { "17.6": { image } } });
});

test("the version of a server is the first one it prints", () => {
  assert.equal(versionIn("postgres (PostgreSQL) 17.6 (Debian 17.6-0+deb13u1)"), "17.6");
  assert.throws(() => versionIn("command not found"), /no version in: command not found/);
});

test("what the server in an image cannot do stands beside the image", () => {
  const server = { engine: "mongodb", version: "7.0", limits: { replicas: 1, config: false } } as const;
  const { mongodb } = catalogueOf([{ name: "ferretdb", image: "a:1", server, packages: [], archive: "a.tar" }]);
  assert.deepEqual(mongodb, { "7.0": { image: "a:1", limits: { replicas: 1, config: false } } });
});
