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

test("what carries a major upgrade out stands beside the image of exactly the version that it leads to", () => {
  const built = { archive: "a.tar", packages: [] };
  const [target, earlier] = ["17.12", "17.11"].map((version) => ({ engine: "postgresql", version }) as const);
  const upgrade = { engine: "postgresql", version: "17.12", from: "15.20" } as const;
  const { postgresql } = catalogueOf([
    { ...built, name: "postgresql-17-from-15", image: "b:1", upgrade },
    { ...built, name: "postgresql", image: "a:1", server: target },
    { ...built, name: "postgresql-earlier", image: "a:2", server: earlier },
  ]);
  assert.deepEqual(postgresql, {
    "17.12": { image: "a:1", upgrade: { image: "b:1", from: "15.20" } },
    "17.11": { image: "a:2" },
  });
});

test("what the server in an image cannot do stands beside the image", () => {
  const server = { engine: "mongodb", version: "7.0", limits: { replicas: 1, config: false } } as const;
  const { mongodb } = catalogueOf([{ name: "ferretdb", image: "a:1", server, packages: [], archive: "a.tar" }]);
  assert.deepEqual(mongodb, { "7.0": { image: "a:1", limits: { replicas: 1, config: false } } });
});
