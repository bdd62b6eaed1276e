import assert from "node:assert/strict";
import test from "node:test";
import { rivalry } from "./rival";

const among = (there: readonly string[], ran: readonly string[] = there): Parameters<typeof rivalry>[1] => ({
  database: (key) => (there.includes(key) ? {} : undefined),
  hasRun: (key) => ran.includes(key),
});

test("where a Database would have a Service of another one's name, the other one that has run keeps it", async () => {
  for (const [other, name] of [
    ["orders", "orders-ro"],
    ["orders-ro", "orders"],
    ["orders", "orders-any"],
    ["orders-any", "orders"],
  ] as const) {
    const service = name === "orders" ? other : name;
    assert.equal(
      await rivalry(`team/${name}`, among([`team/${other}`])),
      `Service ${service} belongs to Database ${other} of this namespace: choose another name, or delete that Database first`,
    );
    assert.equal(await rivalry(`team/${name}`, among([`team/${other}`], [])), undefined, "it has not run");
    assert.equal(await rivalry(`team/${name}`, among([`bank/${other}`])), undefined, "it is elsewhere");
  }
  assert.match(
    (await rivalry("team/orders-headless", among(["team/orders"]))) ?? "",
    /^Service orders-headless belongs/,
  );
});

test("other names do not conflict", async () => {
  for (const name of ["orders", "orders-r", "orders-backup", "orders-ro-ro", "o"])
    assert.equal(await rivalry(`team/${name}`, among(["team/orders"])), undefined, name);
});
