import assert from "node:assert/strict";
import test from "node:test";
import { problemOf } from "./decide";
import type { Found } from "./origin";

const found: Found = {
  version: "8.0.42-0ubuntu0.24.04.1",
  databases: ["shop"],
  tables: [{ name: "shop.orders", engine: "InnoDB", hasKey: true, isEncrypted: false }],
  missingRights: [],
  endlessEvents: [],
};
const one = { name: "shop.log", engine: "InnoDB", hasKey: true, isEncrypted: false };
const wrong = (some: Partial<Found>, own = "9.7.4"): string => problemOf({ ...found, ...some }, ["shop"], own) ?? "";

test("databases of an older or the same series, of InnoDB and with keys, can be imported", () => {
  assert.equal(wrong({}), "");
  assert.equal(wrong({ version: "9.7.9" }), "");
});

for (const [what, some, says] of [
  ["another product", { version: "10.11.6-MariaDB-log" }, /MariaDB/],
  ["a newer series", { version: "9.8.0" }, /MySQL 9\.8\.0, which is newer than 9\.7\.4: choose/],
  ["a database that is not there", { databases: [] }, /^the source has no database shop$/],
  [
    "a database that is not seen",
    { databases: [], missingRights: ["GRANT SELECT ON `shop`.*"] },
    /no database shop, or its user may not see it: grant .*: GRANT SELECT ON `shop`\.\*$/,
  ],
  [
    "what the user may not see",
    { missingRights: ["GRANT TRIGGER ON `shop`.*", "GRANT SHOW_ROUTINE ON *.*"] },
    /hides from its user .*: GRANT TRIGGER ON `shop`\.\*; GRANT SHOW_ROUTINE ON \*\.\*$/,
  ],
  [
    "an event at which mysqldump hangs",
    { endlessEvents: ["shop.tick"] },
    /does not end at the text ";;" in event shop\.tick/,
  ],
  [
    "a table that is encrypted",
    { tables: [{ ...one, isEncrypted: true }] },
    /^tables shop\.log are encrypted .*ENCRYPTION='N'/,
  ],
  ["a table of another engine", { tables: [{ ...one, engine: "MyISAM" }] }, /^tables shop\.log are not of InnoDB/],
  [
    "tables without a key",
    { tables: Array.from({ length: 7 }, (_, index) => ({ ...one, name: `t${index}`, hasKey: false })) },
    /^tables t0, t1, t2, t3, t4 and 2 more are without a primary key/,
  ],
] as const)
  test(`refused before anything is written: ${what}`, () => {
    assert.match(wrong(some), says);
  });
