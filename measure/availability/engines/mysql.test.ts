import assert from "node:assert/strict";
import { createServer as listen } from "node:net";
import test, { after, before } from "node:test";
import { createServer } from "mysql2";
import { freePorts } from "../../../tools/host/ports";
import { TimedOut } from "../load/within";
import { StatementRefused, type Target } from "./engine";
import { mysql } from "./mysql";

// a server that speaks the protocol, and answers by what a statement says
const server = createServer((connection) => {
  connection.serverHandshake({
    ...{ protocolVersion: 10, serverVersion: "9.7.0", connectionId: 1, statusFlags: 2, characterSet: 8 },
    capabilityFlags: 0xffffff,
  });
  connection.on("error", () => undefined);
  connection.on("query", (statement: string) => {
    // each statement begins to count its packets again, which this server leaves to its user
    connection.sequenceId = 1;
    if (statement.startsWith("insert")) connection.writeOk({ affectedRows: 1 });
    else if (statement.startsWith("refuse")) connection.writeError({ code: 1290, message: "--super-read-only" });
    else if (statement.startsWith("vanish")) connection.destroy();
    else if (!statement.startsWith("hang"))
      connection.writeTextResult(
        [{ "@@global.super_read_only": 1, version: "9.7.0" }],
        ["@@global.super_read_only", "version"].map((name, index) => ({
          ...{ catalog: "def", schema: "", table: "", orgTable: "", name, orgName: name, characterSet: 33 },
          ...{ columnLength: 80, columnType: index === 0 ? 8 : 253, flags: 0, decimals: 0 },
        })),
      );
    connection.sequenceId = 0;
  });
});

let target: Target;

before(async () => {
  const [port] = await freePorts();
  server.listen(port);
  target = { host: "127.0.0.1", port, username: "app", password: "", database: "app" };
});
after(() => {
  server.close(() => undefined);
});

test("rows come as arrays; a statement without rows has none", async () => {
  const session = await mysql.connect(target, 1000);
  assert.deepEqual(await session.run("select 1"), [[1, "9.7.0"]]);
  assert.deepEqual(await session.run("insert into t values (1, 1)"), []);
  assert.ok(await mysql.isReadOnly(session));
  session.destroy();
});

test("a statement that the server refuses leaves the connection in use; any other error does not", async () => {
  const session = await mysql.connect(target, 1000);
  await assert.rejects(session.run("refuse"), StatementRefused);
  assert.deepEqual(await session.run("insert into t values (1, 1)"), []);
  await assert.rejects(session.run("vanish"), (error) => !(error instanceof StatementRefused));
});

test("with no server the attempt to connect fails at once, with a silent one in time", async () => {
  const [unused] = await freePorts();
  await assert.rejects(mysql.connect({ ...target, port: unused }, 1000), /ECONNREFUSED/);
  const silent = listen().listen(unused);
  await assert.rejects(mysql.connect({ ...target, port: unused }, 50), TimedOut);
  silent.close();
});
