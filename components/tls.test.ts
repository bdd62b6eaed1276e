// What pods that connect to members have where TLS is required.
import assert from "node:assert/strict";
import test from "node:test";
import { archivePodOf } from "./archive";
import type { DatabaseOptions } from "./args";
import { postgresql } from "./engines/postgresql";
import { backupProgram, initProgram } from "./engines/postgresql/containers";
import type { Pod } from "./pod";
import { settingsOf, type Settings } from "./settings";
import { clientModeValues } from "./tls";

const common = { namespace: "shop", engine: "postgresql", version: "17.6", image: "postgresql" } as const;

function archivePod(tls: DatabaseOptions["tls"]): Pod {
  const pod = archivePodOf(settingsOf("orders", { ...common, tls, backup: { pointInTime: true } }), postgresql);
  assert.ok(pod);
  return pod;
}

test("the pod that keeps WAL, and stays, checks the primary by what the Secret for clients says now", () => {
  const { containers, volumes } = archivePod("Require");
  const [container] = containers;
  assert.ok(container);
  const { env = {}, mounts = {} } = container;
  assert.deepEqual([env["PGSSLMODE"], env["PGSSLROOTCERT"]], ["verify-ca", "/etc/database-ca/ca.crt"]);
  const [volume] = Object.entries(mounts).find(([, path]) => path === "/etc/database-ca") ?? [];
  const secret = { secretName: "orders-ca", defaultMode: 0o444 };
  assert.deepEqual(
    volumes.find(({ name }) => name === volume),
    { name: volume, secret },
  );
});

test("where TLS is not required it uses that where it can; without TLS it is as it was", () => {
  const env = archivePod("Prefer").containers[0]?.env ?? {};
  assert.deepEqual([env["PGSSLMODE"], env["PGSSLROOTCERT"]], ["prefer", "/etc/database-ca/ca.crt"]);
  assert.deepEqual(archivePod("Off"), archivePod(undefined));
});

test("Jobs do not change between Prefer and Require: how they connect is in a Secret", () => {
  const settings = (tls: DatabaseOptions["tls"]): Settings => settingsOf("orders", { ...common, tls });
  for (const program of [initProgram, backupProgram]) {
    assert.deepEqual(program(settings("Prefer")), program(settings("Require")));
    assert.equal(program(settings("Off")).env?.["PGSSLMODE"], undefined);
  }
  assert.deepEqual(
    (["Off", "Prefer", "Require"] as const).map((tls) => clientModeValues(settings(tls))),
    [{}, { sslmode: "prefer" }, { sslmode: "verify-ca" }],
  );
});
