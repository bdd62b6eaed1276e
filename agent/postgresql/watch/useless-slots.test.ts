import assert from "node:assert/strict";
import test from "node:test";
import { UselessSlots } from "./useless-slots";

test("slots that were dropped are reported, and where there is no server no query is sent", async () => {
  const lines: string[] = [];
  const server: { pid?: number } = {};
  let asked = 0;
  const sql = {
    dropLostSlots: () => {
      asked += 1;
      return Promise.resolve(["db_1"]);
    },
    dropFormerSlots: () => Promise.resolve(["changes"]),
  };
  const watch = new UselessSlots({ pid: () => Promise.resolve(server.pid) }, sql, (line) => lines.push(line));
  await watch.look();
  assert.equal(asked, 0);
  server.pid = 7;
  await watch.look();
  assert.match(lines[0] ?? "", /^slot db_1 is lost/);
  assert.match(lines[1] ?? "", /^slot changes of the time when this member was primary is dropped/);
});
