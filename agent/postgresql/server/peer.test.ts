// Sessions with members that let nothing in without TLS, and that have none: over real connections.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, type TestContext } from "node:test";
import { TLSSocket } from "node:tls";
import { issueAuthority, issueServing } from "../../../operator/certificates/issue";
import { databaseTerms } from "../../../operator/certificates/rotation";
import { openPeer } from "./peer";
import { peerTls } from "./peer-tls";
import { letsIn } from "./roles";

const former = process.env;
afterEach(() => {
  process.env = former;
});

/** A message of the server's. */
function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const int32 = (value: number): Buffer =>
  Buffer.from([value >> 24, value >> 16, value >> 8, value].map((byte) => byte & 0xff));
const text = (value: string): Buffer => Buffer.from(`${value}\0`);

const ready = message("Z", Buffer.from("I"));
const welcome = Buffer.concat([message("R", int32(0)), ready]);
const version = Buffer.concat([
  message("T", int16(1), text("v"), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)),
  message("D", int16(1), int32(6), Buffer.from("170012")),
  message("C", text("SHOW")),
  ready,
]);
const said = ["SFATAL", "C28000", "Mno pg_hba.conf entry, no encryption"].map(text);
const refusal = message("E", ...said, Buffer.alloc(1));

const listening = (t: TestContext, server: Server): Promise<number> =>
  new Promise((resolve) => {
    t.after(() => server.close());
    server.listen(0, "127.0.0.1", () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

/** A member that has no certificate yet. */
const without = (t: TestContext): Promise<number> =>
  listening(
    t,
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (first) => {
        if (first.length === 8) {
          socket.end("N");
          return;
        }
        socket.write(welcome);
        continueAt(socket);
      });
    }),
  );

/** A member under Require: its port, and what to trust. */
async function requiring(t: TestContext): Promise<{ readonly port: number; readonly authorities: string }> {
  const authority = await issueAuthority(databaseTerms, new Date());
  const { certificate: cert, key } = await issueServing(authority, { hosts: ["a"], terms: databaseTerms }, new Date());
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (first) => {
      if (first.length !== 8) {
        socket.end(refusal);
        return;
      }
      socket.write("S");
      answer(new TLSSocket(socket, { isServer: true, cert, key }));
    });
  });
  return { port: await listening(t, server), authorities: authority.certificate };
}

function answer(socket: Socket): void {
  socket.on("error", () => undefined);
  socket.once("data", () => {
    socket.write(welcome);
    continueAt(socket);
  });
}

function continueAt(socket: Socket): void {
  socket.on("data", (asked) => (asked.toString().startsWith("Q") ? socket.write(version) : socket.end()));
}

test("a member that requires TLS lets the init Job in, as members know each other", async (t) => {
  const { port, authorities } = await requiring(t);
  process.env = { ...former, DATABASE_AUTHORITIES: authorities };
  assert.equal(await letsIn({ host: "/run/postgresql", port }, "secret"), true);
  process.env = { ...former };
  assert.equal(await letsIn({ host: "/run/postgresql", port }, "secret"), false);
});

test("a member that has a certificate and does not require TLS reaches both those that do and those without", async (t) => {
  const { port, authorities } = await requiring(t);
  const directory = await mkdtemp(join(tmpdir(), "peer-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "ca.crt");
  const args = { host: "127.0.0.1", user: "replicator", password: "secret", program: "test" };
  const reach = async (to: number): Promise<number> => {
    const session = await openPeer({ ...args, port: to }, peerTls(file));
    session.close();
    return session.version;
  };
  await assert.rejects(reach(port), /no encryption/);
  await writeFile(file, authorities);
  assert.deepEqual([await reach(port), await reach(await without(t))], [170_012, 170_012]);
  const { certificate: stranger } = await issueAuthority(databaseTerms, new Date());
  await writeFile(file, stranger);
  await assert.rejects(reach(port));
});

test("a Job of a Database that does not require TLS reaches both, and one that does only those that have it", async (t) => {
  const [{ port, authorities }, plain] = [await requiring(t), await without(t)];
  const args = { host: "127.0.0.1", user: "replicator", password: "secret", program: "test" };
  const reach = async (to: number): Promise<number> => {
    const session = await openPeer({ ...args, port: to });
    session.close();
    return session.version;
  };
  process.env = { ...former, DATABASE_AUTHORITIES: authorities, PGSSLMODE: "prefer" };
  assert.deepEqual([await reach(port), await reach(plain)], [170_012, 170_012]);
  process.env = { ...former, DATABASE_AUTHORITIES: authorities, PGSSLMODE: "verify-ca" };
  assert.equal(await reach(port), 170_012);
  await assert.rejects(reach(plain), /does not support SSL/);
});
