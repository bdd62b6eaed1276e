import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { createConnection, type Connection } from "mysql2";
import { ownSession } from "../sessions";
import { isTimeout, OwnServer } from "./connection";

let directory: string;
let listening: Server;
let connections: Connection[];
/** What each connection was asked. */
let statements: string[][];
let hangs: boolean;
let server: OwnServer;

/** A server that lets every client in and, unless it hangs, answers every statement. */
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "own-server-"));
  [connections, statements, hangs] = [[], [], false];
  listening = createServer((stream) => {
    const connection = createConnection({ stream, isServer: true });
    const asked = new Array<string>();
    connections.push(connection);
    statements.push(asked);
    connection.on("error", () => undefined);
    // the library takes SET for the preparation of a statement
    for (const event of ["stmt_prepare", "query"])
      connection.on(event, (statement: string) => {
        asked.push(statement);
        if (!hangs) connection.writeOk();
      });
    connection.serverHandshake({
      ...{ protocolVersion: 10, serverVersion: "9.7.4", connectionId: 1, statusFlags: 2, characterSet: 8 },
      capabilityFlags: 0xffffff ^ 0x800,
    });
  });
  const socket = join(directory, "mysqld.sock");
  listening.listen(socket);
  await once(listening, "listening");
  server = new OwnServer({ socket, password: "secret" });
});
afterEach(async () => {
  server.close();
  for (const connection of connections) connection.destroy();
  listening.close();
  await rm(directory, { recursive: true });
});

test("concurrent queries share a connection, which begins with its own session settings", async () => {
  await Promise.all([server.query("select 1", 1_000), server.query("select 2", 1_000)]);
  assert.deepEqual(statements, [[ownSession, "select 1", "select 2"]]);
});

test(
  "a server that hangs after the log-in is given up, and asked over another connection",
  { timeout: 20_000 },
  async () => {
    hangs = true;
    await assert.rejects(server.query("select 1", 1_000), isTimeout);
    hangs = false;
    await server.query("select 2", 1_000);
    assert.deepEqual(statements, [[ownSession], [ownSession, "select 2"]]);
  },
);

test("a query that waits on a closed connection fails at once", async () => {
  await server.query("select 1", 1_000);
  hangs = true;
  const [first, second] = [server.query("select 2", 5_000), server.query("select 3", 5_000)];
  server.close();
  await assert.rejects(first, /closed/);
  await assert.rejects(second, /closed/);
});
