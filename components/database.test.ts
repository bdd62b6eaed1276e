import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { Database } from "./database";
import type { DatabaseArgs } from "./args";
import { credentialsOf } from "./credentials";
import { engineNames } from "../contract/engines";
import { engineOf } from "./engines/available";
import { postgresql } from "./engines/postgresql";
import { settingsOf } from "./settings";

const args: DatabaseArgs = {
  namespace: "default",
  engine: "postgresql",
  version: "17.11",
  image: "image:1",
  passwords: { app: "a", superuser: "b", replication: "c", monitor: "d", rest: "e" },
};

const fromBucket: DatabaseArgs["restore"] = {
  stored: { storage: { bucket: "backups", endpoint: "https://s3.example.com", credentials: "s3" }, until: "last" },
  request: "1",
};

const rehearsal = { act: "rehearse", image: "image:2", from: "15.20", to: "17.11", request: "1" } as const;

test("an impossible database is refused with a message that says what to do", async () => {
  await pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) });
  const refused: [string, Partial<DatabaseArgs>, RegExp][] = [
    ["db", { engine: "mysql", version: "9.7", config: { port: "1" } }, /"port" cannot be set/],
    ["db", { engine: "mongodb", config: { "net.port": "1" } }, /"net\.port" cannot be set/],
    ["1db", {}, /must begin with a letter/],
    ["db", { replicas: 0 }, /replicas is 0.*from 1 to 10/],
    ["db", { replicas: 1.5 }, /replicas is 1.5/],
    ["db", { backup: { retention: 0 } }, /retention is 0/],
    ["db", { synchronous: { strict: true } }, /with synchronousCommit: true only/],
    ["db", { engine: "mysql", version: "9.7", synchronousCommit: true, synchronous: { members: 2 } }, /PostgreSQL's/],
    ["db", { synchronousCommit: true, synchronous: { members: 3 } }, /members is 3.*less than replicas/],
    ["db", { replicas: 1, synchronousCommit: true, synchronous: { strict: true } }, /members is 1.*less than replicas/],
    ["db", { engine: "mongodb", superuserAccess: "Local" }, /superuserAccess is for PostgreSQL and MySQL/],
    ["db", { engine: "mongodb", restore: fromBucket }, /restore\.stored is for PostgreSQL and MySQL: .*a volume/],
    ["db", { engine: "mysql", version: "9.7", upgrade: { members: "all" } }, /upgrade is not for MySQL/],
    ["db", { upgrade: { members: "none" }, restore: fromBucket }, /exclude each other/],
    ["db", { upgrade: { members: "all", job: rehearsal }, backup: { enabled: false } }, /rehearsed with a backup/],
    ["db", { engine: "mysql", version: "9.7", tls: "Prefer" }, /tls is for PostgreSQL/],
    ["db", { tls: "Require" }, /tls: "Require" needs certificates/],
    ["db", { config: { port: "1", ssl: "on" } }, /"port".*"ssl"/],
  ];
  for (const [name, wishes, message] of refused) {
    assert.throws(() => new Database(name, { ...args, ...wishes }), message);
  }
  await pulumi.runtime.disconnect();
});

test("the first backup is created once what it waits for is: it must not have the room that these need", async () => {
  const order: string[] = [];
  await pulumi.runtime.setMocks({
    newResource: async ({ name, type }) => {
      // long enough for whatever waits for nothing
      if (type.endsWith(":StatefulSet") || name === "db-init") await delay(20);
      order.push(`${type.split(":").at(-1) ?? ""} ${name}`);
      return { id: name, state: {} };
    },
    call: () => ({}),
  });
  new Database("db", args);
  await pulumi.runtime.disconnect();
  const [first, ...before] = ["Job db-backup-first", "StatefulSet db", "Job db-init"].map((one) => order.indexOf(one));
  assert.ok(
    before.every((one) => one >= 0 && first !== undefined && one < first),
    order.join(", "),
  );
});

test("every engine of the API is there, under its own name", () => {
  for (const name of engineNames) assert.equal(engineOf(name).name, name);
});

test("a connection string asks for TLS, and for the server's name, only where nothing else is let in", () => {
  const uriWith = (tls: DatabaseArgs["tls"]): string | undefined =>
    credentialsOf(settingsOf("db", { ...args, tls }), postgresql, "secret")["uri"];
  assert.equal(uriWith("Prefer"), uriWith(undefined));
  const { searchParams } = new URL(uriWith("Require") ?? "");
  assert.deepEqual(Object.fromEntries(searchParams), {
    sslmode: "verify-full",
    sslrootcert: "/etc/database-ca/ca.crt",
  });
});

test("a connection string survives every character of a password", () => {
  const { uri, password } = credentialsOf(settingsOf("db", args), postgresql, "p@ss:w/rd %?#é");
  const parsed = new URL(uri ?? "");
  assert.equal(decodeURIComponent(parsed.password), password);
  assert.equal(parsed.host, "db.default.svc:5432");
  assert.equal(parsed.pathname, "/app");
});
