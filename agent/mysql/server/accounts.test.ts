import assert from "node:assert/strict";
import test from "node:test";
import { takeOverStatements } from "./accounts";

test("in a copy of another Database's data no account of ours keeps its former password, and none of a user's is touched", () => {
  const passwords = { superuser: "new-s", replication: "new-r" };
  const all = takeOverStatements({ passwords }, [{ user: "app", password: "it's new" }]).join(";\n");
  assert.match(all, /ALTER USER IF EXISTS root@'%' IDENTIFIED BY 'new-s' ACCOUNT LOCK/);
  assert.match(all, /ALTER USER replication@'%' IDENTIFIED BY 'new-r' ACCOUNT UNLOCK/);
  assert.match(all, /ALTER USER database_init@'%' IDENTIFIED BY 'new-s' ACCOUNT UNLOCK/);
  assert.match(all, /ALTER USER IF EXISTS 'app'@'%' IDENTIFIED BY 'it\\'s new'/);
  const users = [...all.matchAll(/(?:USER(?: IF (?:NOT )?EXISTS)?|TO) ('?\w+'?)@/g)].map(([, user]) => user);
  assert.deepEqual([...new Set(users)].sort(), ["'app'", "database_init", "replication", "root"]);
});
