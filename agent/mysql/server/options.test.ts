import assert from "node:assert/strict";
import test from "node:test";
import type { MemberSettings } from "../settings";
import { isComplaint, serverOptions } from "./options";

test("a server's complaint is its last error before Aborting", () => {
  const lines = [
    "2026-01-01T00:00:00.1Z 0 [Warning] [MY-010918] [Server] 'default_storage_engine' is deprecated",
    "2026-01-01T00:00:00.2Z 0 [ERROR] [MY-000067] [Server] unknown variable 'x=1'.",
    "2026-01-01T00:00:00.3Z 0 [ERROR] [MY-010119] [Server] Aborting",
  ];
  assert.equal(lines.findLast(isComplaint), lines[1]);
});

const settings: MemberSettings = {
  ...{ database: "db", namespace: "shop", self: "db-1", domain: "db-headless.shop.svc.cluster.local" },
  ...{ serverPort: 3306, agentPort: 8008, volume: "/data", runDirectory: "/run/mysqld", memory: 2 ** 30 },
  ...{ passwords: { superuser: "a", replication: "b" }, startParameters: {} },
};

const valueOf = (option: string): string | undefined =>
  serverOptions(settings, {})
    .find((one) => one.startsWith(`--${option}=`))
    ?.split("=")[1];

test("a member that no other can give what it lacks leaves within half a minute, so that the agent has it join again", () => {
  const attempts = Number(valueOf("group-replication-recovery-retry-count"));
  const seconds = Number(valueOf("group-replication-recovery-reconnect-interval"));
  assert.ok(attempts > 1, "one that was only restarted is asked again");
  assert.ok(attempts * seconds <= 30);
  assert.equal(valueOf("group-replication-autorejoin-tries"), "0");
});

test("parameters come last, and so win", () => {
  const options = serverOptions(settings, { max_connections: { value: 50, restart: false } });
  assert.equal(options.at(-1), "--max-connections=50");
});
