import assert from "node:assert/strict";
import test from "node:test";
import { knownModes, withDefiner } from "./headers";

test("a definer is told in the quotes of every mode", () => {
  for (const account of ['"root"@"localhost"', '"ro""ot"@"%"', "'root'@'10.%'", "`root`@`%`"])
    assert.equal(
      withDefiner(`CREATE DEFINER=${account} PROCEDURE "p"()`, "`app`@`%`"),
      'CREATE DEFINER=`app`@`%` PROCEDURE "p"()',
    );
});

test("modes of former servers are left out, and no others", () => {
  const line = (modes: string): string => `/*!50003 SET sql_mode              = '${modes}' */ ;\n`;
  assert.equal(knownModes(line("NO_AUTO_CREATE_USER")), line(""));
  assert.equal(
    knownModes(line("ANSI_QUOTES,NO_AUTO_CREATE_USER,POSTGRESQL,NO_ENGINE_SUBSTITUTION")),
    line("ANSI_QUOTES,NO_ENGINE_SUBSTITUTION"),
  );
  const other = "INSERT INTO `t` VALUES ('SET sql_mode = 'NO_AUTO_CREATE_USER'');\n";
  assert.equal(knownModes(other), other);
});
