import assert from "node:assert/strict";
import test from "node:test";
import { stepOf } from "../../test/fakes/previewed";
import { withRemovals } from "./afterwards";

const left = (child: string): ReturnType<typeof stepOf> => ({ ...stepOf(child, "delete"), retained: true });
const [certificate, authority, credentials] = ["shop-server-tls", "shop-ca", "shop-credentials"].map((name) =>
  left(`Secret ${name}`),
);
assert.ok(certificate && authority && credentials);
const steps = [certificate, authority, credentials];

test("without TLS the certificate goes once members have restarted; what clients trust, and passwords, stay", () => {
  const told = withRemovals(steps, { name: "shop", noPlace: undefined });
  assert.deepEqual(told, [{ ...certificate, retained: false }, authority, credentials]);
});

test("where no member can restart it stays for now", () => {
  assert.deepEqual(withRemovals(steps, { name: "shop", noPlace: "no node has 64Gi of memory" }), steps);
});
