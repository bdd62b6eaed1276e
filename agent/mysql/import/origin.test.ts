import assert from "node:assert/strict";
import test from "node:test";
import { addressProblem, lookAt, type Asked } from "./origin";

test("an address cannot be verified by the driver, and is refused rather than taken for another name", () => {
  for (const host of ["10.0.0.7", "fd00::7"])
    assert.match(addressProblem({ host, tls: "Verify" }) ?? "", /by an address: .* a name of its certificate/);
  assert.equal(addressProblem({ host: "old-db", tls: "Verify" }), undefined);
  assert.equal(addressProblem({ host: "10.0.0.7", tls: "Require" }), undefined);
});

/** A server of this version that answers by a part of the statement. */
function serverOf(version: string, role: string): Asked & { readonly asked: string[] } {
  const answers: readonly (readonly [string, readonly object[]])[] = [
    ["VERSION()", [{ version }]],
    ["CURRENT_ROLE()", [{ role }]],
    ["SHOW GRANTS", [{ "Grants for r": "GRANT SELECT, SHOW VIEW, EVENT ON *.* TO `r`@`%`" }]],
    ["partial_revokes", [{ isOn: 0 }]],
    ["SCHEMATA", [{ name: "shop" }]],
    ["EVENT_DEFINITION", [{ name: "shop.tick" }]],
    ["t.ENGINE", [{ name: "shop.items", engine: "InnoDB", options: 'encryption="Y"', keys: "1" }]],
  ];
  const asked: string[] = [];
  return {
    asked,
    query: (sql) => {
      asked.push(sql);
      const rows = answers.find(([part]) => sql.includes(part))?.[1] ?? [];
      // the driver answers with what fields there are, too
      return Promise.resolve([rows, []]);
    },
  };
}

test("it is looked at with the rights of the roles that are active, as far as the version has any", async () => {
  const server = serverOf("8.0.42", "`readers`@`%`");
  const found = await lookAt(server, ["shop"]);
  assert.deepEqual(found.missingRights, ["GRANT TRIGGER ON `shop`.*"]);
  assert.deepEqual(found.endlessEvents, ["shop.tick"]);
  assert.deepEqual(found.tables, [{ name: "shop.items", engine: "InnoDB", hasKey: true, isEncrypted: true }]);
  assert.ok(server.asked.includes("SHOW GRANTS FOR CURRENT_USER() USING `readers`@`%`"));
  const former = serverOf("5.7.44-log", "NONE");
  await lookAt(former, ["shop"]);
  assert.doesNotMatch(former.asked.join(), /CURRENT_ROLE|partial_revokes|USING/);
});
