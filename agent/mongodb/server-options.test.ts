import assert from "node:assert/strict";
import test from "node:test";
import { memberConfigurationOf, startParametersOf } from "../../components/engines/mongodb/configuration";
import type { DatabaseOptions } from "../../components/args";
import { settingsOf } from "../../components/settings";
import { memberKeyOf, mongodOptions } from "./server-options";
import type { MemberSettings } from "./settings";
import { Parameters, Wanted } from "./wanted";

const settingsWith = (wishes: Partial<DatabaseOptions> = {}): ReturnType<typeof settingsOf> =>
  settingsOf("orders", { namespace: "shop", engine: "mongodb", version: "7.0", image: "image:1", ...wishes });

const toldTo = (settings: ReturnType<typeof settingsOf>): Wanted =>
  Wanted.parse(JSON.parse(memberConfigurationOf(settings)));

const cache = "storage.wiredTiger.engineConfig.cacheSizeGB";

test("members can read the configuration that is written for them", () => {
  const wanted = toldTo(settingsWith({ replicas: 5, config: { allowDiskUseByDefault: "true" } }));
  assert.equal(wanted.replicas, 5);
  assert.deepEqual(wanted.parameters, { allowDiskUseByDefault: { value: "true", restart: false } });
  const brought = Parameters.parse(startParametersOf(settingsWith({ config: { allowDiskUseByDefault: "true" } })));
  assert.deepEqual(brought, { [cache]: { value: "0.25", restart: true } });
});

const member: MemberSettings = {
  server: "mongod",
  database: "orders",
  namespace: "shop",
  self: "orders-0",
  ordinal: 0,
  domain: "orders-headless.shop.svc.cluster.local",
  serverPort: 27017,
  agentPort: 8009,
  metricsPort: undefined,
  volume: "/data/db",
  runDirectory: "/run/mongodb",
  administratorPassword: "secret",
  keySecret: "another secret",
  startParameters: {},
};

test("the server's options hold no secret and no parameter that a running server can apply", () => {
  const settings = settingsWith({ config: { allowDiskUseByDefault: "true", maxSessions: "5" } });
  const { parameters } = toldTo(settings);
  const text = mongodOptions(member, { ...parameters, ...Parameters.parse(startParametersOf(settings)) });
  assert.ok(!text.includes("secret"));
  assert.deepEqual(JSON.parse(text), {
    net: { port: 27017, bindIpAll: true, unixDomainSocket: { enabled: false } },
    storage: { dbPath: "/data/db/mongod", wiredTiger: { engineConfig: { cacheSizeGB: 0.25 } } },
    replication: { replSetName: "orders" },
    security: { keyFile: "/run/mongodb/members.key", authorization: "enabled" },
    setParameter: { maxSessions: 5, shutdownTimeoutMillisForSignaledShutdown: 2000 },
  });
});

test("the members' key has only characters that the server accepts, and is the same on every member", () => {
  assert.match(memberKeyOf("-_-"), /^[A-Za-z0-9+/=]{6,1024}$/);
  assert.equal(memberKeyOf("a"), memberKeyOf("a"));
  assert.notEqual(memberKeyOf("a"), memberKeyOf("b"));
});
