import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { memberSettings, restCredentials } from "./settings";

const environment = {
  PATRONI_NAME: "orders-1",
  PATRONI_SCOPE: "orders",
  PATRONI_KUBERNETES_NAMESPACE: "shop",
  PATRONI_POSTGRESQL_DATA_DIR: "/data/pgdata",
  PATRONI_KUBERNETES_SCOPE_LABEL: "database",
  PATRONI_KUBERNETES_ROLE_LABEL: "role",
  PATRONI_KUBERNETES_LEADER_LABEL_VALUE: "primary",
  PATRONI_KUBERNETES_FOLLOWER_LABEL_VALUE: "replica",
  PATRONI_SUPERUSER_USERNAME: "postgres",
  PATRONI_SUPERUSER_PASSWORD: "s",
  PATRONI_REPLICATION_USERNAME: "replicator",
  PATRONI_REPLICATION_PASSWORD: "r",
  PATRONI_RESTAPI_USERNAME: "patroni",
  PATRONI_RESTAPI_PASSWORD: "a",
};

function within(t: TestContext, values: Readonly<Record<string, string>>): void {
  const before = process.env;
  t.after(() => {
    process.env = before;
  });
  process.env = { ...before, ...values };
}

test("a member is told by Patroni's own variables", (t) => {
  within(t, environment);
  assert.deepEqual(memberSettings(), {
    self: "orders-1",
    database: "orders",
    namespace: "shop",
    dataDirectory: "/data/pgdata",
    labels: { database: "database", role: "role", primary: "primary", replica: "replica" },
    superuser: { user: "postgres", password: "s" },
    replication: { user: "replicator", password: "r" },
  });
  assert.deepEqual(restCredentials(), { user: "patroni", password: "a" });
});

test("what is missing is named", (t) => {
  within(t, { ...environment, PATRONI_REPLICATION_PASSWORD: "" });
  assert.throws(() => memberSettings(), /PATRONI_REPLICATION_PASSWORD is not set/);
});
