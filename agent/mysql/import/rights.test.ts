import assert from "node:assert/strict";
import test from "node:test";
import { missingRights, versionNumber, type Reading } from "./rights";

const all = "SELECT, SHOW VIEW, TRIGGER, EVENT";
const missing = (grants: readonly string[], some: Partial<Reading> = {}, databases = ["shop"]): readonly string[] =>
  missingRights(databases, { version: 90_704, isLiteral: false, grants, ...some });
const enough = "GRANT SHOW_ROUTINE ON *.* TO `reader`@`%`";

for (const [what, grants, some] of [
  ["of all databases", [`GRANT ${all}, FILE ON *.* TO \`reader\`@\`%\``], {}],
  ["of this one, with the one to see routines", [`GRANT ${all} ON \`shop\`.* TO \`reader\`@\`%\``, enough], {}],
  ["all of this one", ["GRANT ALL PRIVILEGES ON `shop`.* TO `reader`@`%` WITH GRANT OPTION", enough], {}],
  ["of names like this one", [`GRANT ${all} ON \`sh_p%\`.* TO \`reader\`@\`%\``, enough], {}],
  [
    "in parts, by roles",
    [
      "GRANT USAGE ON *.* TO `reader`@`%`",
      enough,
      "GRANT SELECT, EVENT ON `shop`.* TO `reader`@`%`",
      "GRANT SHOW VIEW, TRIGGER ON `shop`.* TO `reader`@`%`",
      "GRANT `readers`@`%` TO `reader`@`%`",
    ],
    {},
  ],
  [
    "before there was one to see routines",
    [`GRANT ${all} ON \`shop\`.* TO 'reader'@'%'`, "GRANT SELECT ON `mysql`.`proc` TO 'reader'@'%'"],
    { version: 50_744 },
  ],
] as const)
  test(`who has these rights sees all of a database: ${what}`, () => {
    assert.deepEqual(missing(grants, some), []);
  });

for (const [what, grants, lacking, some] of [
  ["of a table alone", [enough, `GRANT ${all} ON \`shop\`.\`items\` TO \`reader\`@\`%\``], all, {}],
  ["of columns alone", [enough, "GRANT SELECT (`id`), SHOW VIEW, TRIGGER, EVENT ON `shop`.* TO `r`@`%`"], "SELECT", {}],
  ["no triggers", [enough, "GRANT SELECT, SHOW VIEW, EVENT ON `shop`.* TO `reader`@`%`"], "TRIGGER", {}],
  ["of another name", [enough, `GRANT ${all} ON \`shop2\`.* TO \`reader\`@\`%\``], all, {}],
  [
    "of a pattern, where patterns are names",
    [enough, `GRANT ${all} ON \`sho_\`.* TO \`r\`@\`%\``],
    all,
    { isLiteral: true },
  ],
  [
    "of all, and taken for this one",
    [enough, `GRANT ${all} ON *.* TO \`r\`@\`%\``, "REVOKE EVENT ON `shop`.* FROM `r`@`%`"],
    "EVENT",
    { isLiteral: true },
  ],
  [
    "by the entry that names it, which hides a pattern",
    [enough, "GRANT SELECT ON `shop`.* TO `r`@`%`", `GRANT ${all} ON \`sh%\`.* TO \`r\`@\`%\``],
    "SHOW VIEW, TRIGGER, EVENT",
    {},
  ],
] as const)
  test(`what is missing is named, as the statement that gives it: ${what}`, () => {
    assert.deepEqual(missing(grants, some), [`GRANT ${lacking} ON \`shop\`.*`]);
  });

test("routines are seen by a right of their own, or by one to read everything", () => {
  const rights = [`GRANT ${all} ON \`shop\`.* TO \`r\`@\`%\``];
  assert.deepEqual(missing(rights), ["GRANT SHOW_ROUTINE ON *.*"]);
  assert.deepEqual(missing(rights, { version: 80_019 }), ["GRANT SELECT ON *.*"]);
  assert.deepEqual(missing(rights, { version: 50_744 }), ["GRANT SELECT ON `mysql`.`proc`"]);
  const taken = ["GRANT SELECT ON *.* TO `r`@`%`", "REVOKE SELECT ON `shop`.* FROM `r`@`%`", ...rights];
  assert.deepEqual(missing(taken, { isLiteral: true }), ["GRANT SHOW_ROUTINE ON *.*"]);
});

test("a name is told so that the statement gives rights on no other", () => {
  assert.deepEqual(missing([enough], {}, ["shop_1", "a`b"]), [
    `GRANT ${all} ON \`shop\\_1\`.*`,
    `GRANT ${all} ON \`a\`\`b\`.*`,
  ]);
  assert.deepEqual(missing([enough], { isLiteral: true }, ["shop_1"]), [`GRANT ${all} ON \`shop_1\`.*`]);
  assert.deepEqual(missing([enough, `GRANT ${all} ON \`shop\\_1\`.* TO \`r\`@\`%\``], {}, ["shop_1"]), []);
});

test("a version is a number that can be compared", () => {
  assert.equal(versionNumber("8.0.42-0ubuntu0.24.04.1"), 80_042);
  assert.equal(versionNumber("5.7.44-log"), 50_744);
  assert.equal(versionNumber("9.7"), 90_700);
});
