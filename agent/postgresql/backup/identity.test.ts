import assert from "node:assert/strict";
import test from "node:test";
import { hostOf, serverSettings } from "./identity";
import { membersOptions } from "./pgbackrest";

const place = { database: "orders", namespace: "shop" };

test("members are reached by their host names, the primary first", () => {
  const options = membersOptions(["orders-1", "orders-0"], place);
  assert.equal(options[0], "--pg1-host=orders-1.orders-headless.shop.svc");
  assert.ok(options.includes("--pg2-host=orders-0.orders-headless.shop.svc"));
  assert.ok(options.includes("--pg2-host-type=tls"));
  assert.equal(hostOf("*", place), "*.orders-headless.shop.svc");
});

test("a server asks for the certificate that it has itself", () => {
  const lines = serverSettings().trim().split("\n");
  assert.equal(lines[0], "[global]");
  assert.ok(lines.includes("tls-server-auth=database-backup=*"));
  const files = lines.filter((line) => /^tls-server-(ca|cert)-file=/.test(line)).map((line) => line.split("=")[1]);
  assert.equal(new Set(files).size, 1);
});
