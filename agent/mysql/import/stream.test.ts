import assert from "node:assert/strict";
import test from "node:test";
import { dumpFilter, insertIn } from "./stream";

const definer = "`app`@`%`";

/** What becomes of a text that comes in pieces of so many bytes. */
async function passed(
  text: string | Buffer,
  size = 7,
): Promise<{ readonly text: string; readonly rows: Record<string, number> }> {
  const whole = Buffer.from(text);
  const filter = dumpFilter(definer);
  // eslint-disable-next-line @typescript-eslint/require-await
  async function* pieces(): AsyncIterable<Buffer> {
    for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
  }
  const out: Buffer[] = [];
  for await (const piece of filter.pass(pieces())) out.push(piece);
  return { text: Buffer.concat(out).toString(), rows: Object.fromEntries(filter.rows) };
}

test("rows are counted in each table of each database, over many statements", async () => {
  const dump = [
    "USE `shop`;",
    "INSERT INTO `orders` VALUES (1,'a'),(2,'b');",
    "INSERT INTO `orders` VALUES (3,NULL);",
    "USE `sto``ck`;",
    "INSERT INTO `orders` (`id`, `n (`) VALUES (1,0x28),(2,-1.5e10);",
    "",
  ].join("\n");
  for (const size of [1, 7, 10_000]) {
    const { text, rows } = await passed(dump, size);
    assert.equal(text, dump);
    assert.deepEqual(rows, { "shop.orders": 3, "sto`ck.orders": 2 });
  }
});

for (const [what, values, count] of [
  ["a text that looks like the next row", String.raw`('),(1,'),('a')`, 2],
  ["an escaped quote", String.raw`('it\'s),(' ),('\\'),('\\\'),(')`, 3],
  ["a doubled quote", "('it''s),(')", 1],
  ["a binary text", String.raw`(_binary 'a\0\n),('),(_binary '')`, 2],
  ["a statement within a text", "('INSERT INTO `x` VALUES (1),(2);')", 1],
] as const)
  test(`a row is told from ${what}`, () => {
    assert.deepEqual(insertIn(Buffer.from(`INSERT INTO \`t\` VALUES ${values};\n`)), { table: "t", rows: count });
  });

test("what is no insertion counts nothing, and names may have any letters", async () => {
  assert.equal(insertIn(Buffer.from("-- INSERT INTO `t` VALUES (1);\n")), undefined);
  assert.equal(insertIn(Buffer.from("INSERT")), undefined);
  const { rows, text } = await passed("USE `straße`;\nINSERT INTO `ä` VALUES ('ß');\n");
  assert.deepEqual(rows, { "straße.ä": 1 });
  assert.match(text, /ß/);
});

test("what has a definer gets the application's account, in every form in which mysqldump writes one, and nothing else is touched", async () => {
  const account = "`ro``ot`@`10.%`";
  const before = [
    `/*!50013 DEFINER=${account} SQL SECURITY DEFINER */`,
    `/*!50003 CREATE*/ /*!50017 DEFINER=${account}*/ /*!50003 TRIGGER \`t\` BEFORE INSERT ON \`o\` FOR EACH ROW SET NEW.a = 1 */;;`,
    `CREATE DEFINER=${account} PROCEDURE \`p\`()`,
    `/*!50106 CREATE*/ /*!50117 DEFINER=${account}*/ /*!50106 EVENT \`e\` ON SCHEDULE EVERY 1 DAY DO DELETE FROM o */ ;;`,
  ];
  const untouched = [
    `  SELECT 'DEFINER=${account}';`,
    `INSERT INTO \`t\` VALUES ('CREATE DEFINER=${account} PROCEDURE');`,
    "no end",
  ];
  const { text } = await passed([...before, ...untouched].join("\n"), 1_000);
  const lines = text.split("\n");
  for (const [index, line] of before.entries()) assert.equal(lines[index], line.replace(account, definer));
  assert.deepEqual(lines.slice(before.length), untouched);
});

test("bodies are their authors': nothing in them is counted, nor changed, and what comes behind them is", async () => {
  const body = [
    "BEGIN",
    "INSERT INTO `log` VALUES (1),(2);",
    "USE `other`;",
    "CREATE DEFINER=`root`@`%` PROCEDURE `x`()",
    "/*!50003 SET sql_mode              = 'NO_AUTO_CREATE_USER' */ ;",
    "DELIMITER ;;",
  ];
  const dump = [
    "USE `shop`;",
    "DELIMITER ;;",
    "/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `t` BEFORE INSERT ON `o` FOR EACH ROW BEGIN",
    ...body,
    "END */;;",
    "DELIMITER ;",
    "DELIMITER ;;;",
    "/*!50003 SET sql_mode              = 'NO_AUTO_CREATE_USER' */ ;;;",
    "/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`%`*/ /*!50106 EVENT `e` ON SCHEDULE EVERY 1 DAY DO BEGIN",
    ...body,
    "END */ ;;;",
    "DELIMITER ;",
    "INSERT INTO `o` VALUES (1);",
    "",
  ].join("\n");
  for (const size of [1, 7, 10_000]) {
    const { text, rows } = await passed(dump, size);
    assert.deepEqual(rows, { "shop.o": 1 });
    assert.equal(text.split(body.join("\n")).length, 3, "both bodies are as they were");
    assert.equal(text.split(`DEFINER=${definer}`).length, 3);
    assert.ok(text.includes("SET sql_mode              = '' */ ;;;\n"));
  }
});
