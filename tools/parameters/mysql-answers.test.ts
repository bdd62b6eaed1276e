import assert from "node:assert/strict";
import test from "node:test";
import { parametersFrom } from "./mysql-answers";

test("what a server answers becomes a table of its parameters", () => {
  const table = parametersFrom({
    metadata: [
      "max_connections\tGLOBAL\tInteger\t1\t100000",
      "hostname\tGLOBAL\tString\t\t",
      "back_log\tGLOBAL\tInteger\t1\t65535",
      "pseudo_thread_id\tSESSION_ONLY\tInteger\t0\t1",
      "binlog_checksum\tGLOBAL\tEnumeration\t\t",
      "innodb_flush_method\tGLOBAL\tEnumeration\t\t",
      "slow_query_log\tGLOBAL\tBoolean\t\t",
      "",
    ].join("\n"),
    options: [
      "max-connections  151",
      "back-log 80",
      "binlog-checksum CRC32",
      "innodb-flush-method x",
      "slow-query-log FALSE",
      "pseudo-thread-id 0",
      "",
    ].join("\n"),
    same: "ERROR 1238 (HY000) at line 3: Variable 'back_log' is a read only variable\nERROR 1238 (HY000) at line 4: Variable 'innodb_flush_method' is a read only variable\n",
    values:
      "binlog_checksum\t0\tNONE\nERROR 1231 (42000) at line 1: no\nbinlog_checksum\t1\tCRC32\nbinlog_checksum\t2\tCRC32\n",
  });
  assert.deepEqual(table, {
    back_log: { type: "integer", min: 1, max: 65535, restart: true },
    binlog_checksum: { type: "enum", values: ["NONE", "CRC32"] },
    innodb_flush_method: { type: "string", restart: true },
    max_connections: { type: "integer", min: 1, max: 100000 },
    slow_query_log: { type: "bool" },
  });
});
