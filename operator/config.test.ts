import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "./config";

const watched: Record<string, readonly string[]> = {
  "": [],
  shop: ["shop"],
  "shop,bank": ["shop", "bank"],
  " shop , bank,, shop ": ["shop", "bank"],
};

for (const [text, namespaces] of Object.entries(watched)) {
  test(`DATABASE_OPERATOR_WATCH_NAMESPACES="${text}" means ${namespaces.join(" and ") || "all"}`, () => {
    assert.deepEqual(readConfig({ DATABASE_OPERATOR_WATCH_NAMESPACES: text }).watchNamespaces, namespaces);
  });
}

test("all namespaces are watched where nothing is set", () => {
  assert.deepEqual(readConfig({}).watchNamespaces, []);
});

for (const wrong of ["Shop", "shop;bank", "shop/orders", "*", "-shop"]) {
  test(`DATABASE_OPERATOR_WATCH_NAMESPACES="${wrong}" is refused with a message that helps`, () => {
    assert.throws(
      () => readConfig({ DATABASE_OPERATOR_WATCH_NAMESPACES: wrong }),
      /WATCH_NAMESPACES.*must be names of namespaces, separated by commas/,
    );
  });
}

test("certificates of Databases live as long as is said, and clocks may differ by little where that is short", () => {
  const { certificates: usual } = readConfig({});
  assert.deepEqual(
    [usual.authorityMs, usual.servingMs, usual.settleMs].map((ms) => ms / 86_400_000),
    [3650, 90, 30],
  );
  assert.equal(usual.clockSkewMs, 3_600_000);
  const said = '{"authority":0.1,"certificate":0.01,"overlap":0.003}';
  const { certificates: short } = readConfig({ DATABASE_OPERATOR_CERTIFICATE_DAYS: said });
  assert.deepEqual(
    [short.authorityMs, short.servingMs, short.settleMs, short.clockSkewMs],
    [8_640_000, 864_000, 259_200, 8640],
  );
});

for (const [wrong, why] of [
  ['{"overlap":40}', /overlap must be a third of certificate at most/],
  ['{"authority":100}', /certificate must be a third of authority at most/],
  ['{"certificate":-1}', /CERTIFICATE_DAYS/],
  ['{"authority":0.01,"certificate":0.003,"overlap":0.001}', /overlap must be at least two minutes/],
  ['{"leaf":3}', /CERTIFICATE_DAYS/],
  ["soon", /CERTIFICATE_DAYS/],
] as const) {
  test(`DATABASE_OPERATOR_CERTIFICATE_DAYS=${wrong} is refused`, () => {
    assert.throws(() => readConfig({ DATABASE_OPERATOR_CERTIFICATE_DAYS: wrong }), why);
  });
}

test("an invalid client authority is refused at the start: it would silently shut the API server out", () => {
  assert.throws(
    () => readConfig({ DATABASE_OPERATOR_WEBHOOK_CLIENT_CA: "/etc/ca.crt" }),
    /DATABASE_OPERATOR_WEBHOOK_CLIENT_CA: is not a certificate in PEM/,
  );
});
