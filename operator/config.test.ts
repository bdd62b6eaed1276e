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

test("an invalid client authority is refused at the start: it would silently shut the API server out", () => {
  assert.throws(
    () => readConfig({ DATABASE_OPERATOR_WEBHOOK_CLIENT_CA: "/etc/ca.crt" }),
    /DATABASE_OPERATOR_WEBHOOK_CLIENT_CA: is not a certificate in PEM/,
  );
});
