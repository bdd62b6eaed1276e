import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, before, beforeEach } from "node:test";
import { TLSSocket } from "node:tls";
import { Hono } from "hono";
import type { Issued } from "../../../operator/certificates/certificate-set";
import { issueServing } from "../../../operator/certificates/issue";
import { webhookTerms } from "../../../operator/certificates/rotation";
import { issueClient, newAuthority } from "../../../test/fakes/client-certificate";
import { eventually } from "../../../test/harness/eventually";
import { listen, type Listening } from "../serve/listen";
import type { ConsoleEnv } from "../web/context";
import { Certificates, type CertificateTexts } from "./certificates";

let directory: string;
let authority: Issued;
let server: Listening;
let stopping: AbortController;
let errors: unknown[];
let turn = 0;

/** As the kubelet does: a directory of its own, to which a link is turned in one step. */
async function mount({ cert, key, ca }: CertificateTexts): Promise<void> {
  const data = `data-${++turn}`;
  await mkdir(join(directory, data));
  for (const [name, text] of Object.entries({ cert, key, ca })) await writeFile(join(directory, data, name), text);
  await symlink(data, join(directory, "next"));
  await rename(join(directory, "next"), join(directory, "mounted"));
}

async function issued(ca = authority.certificate): Promise<CertificateTexts> {
  const serving = await issueServing(authority, { hosts: ["console"], terms: webhookTerms }, new Date());
  return { cert: serving.certificate, key: serving.key, ca };
}

before(async () => {
  authority = await newAuthority();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certificates-"));
  await mount(await issued());
  const file = (name: string): string => join(directory, "mounted", name);
  const certificates = new Certificates({ cert: file("cert"), key: file("key"), ca: file("ca") });
  const asking = { requestCert: true, rejectUnauthorized: false };
  const app = new Hono<ConsoleEnv>();
  app.get("/", (c) => {
    const socket = c.env.incoming?.socket;
    return c.text(String(socket instanceof TLSSocket && socket.authorized));
  });
  server = await listen({ host: "127.0.0.1", port: 0, tls: { ...certificates.current, ...asking } }, () => app);
  stopping = new AbortController();
  errors = [];
  void certificates.follow({
    ...{ everyMs: 20, signal: stopping.signal, renew: server.renew },
    onError: (error) => errors.push(error),
  });
});
afterEach(async () => {
  stopping.abort();
  await server.close();
  await rm(directory, { recursive: true });
});

const soon = { withinMs: 5000 };

interface Seen {
  /** Of the server's certificate. */
  readonly serial: string;
  /** Whether the client's counts. */
  readonly text: string;
  readonly isReused: boolean;
}

const asked = (agent: Agent): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const sending = request({ host: "127.0.0.1", port: server.port, agent }, (response) => {
      const { socket } = response;
      assert.ok(socket instanceof TLSSocket);
      const serial = socket.getPeerCertificate().serialNumber;
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        resolve({ serial, text, isReused: sending.reusedSocket });
      });
    });
    sending.on("error", reject).end();
  });

async function connection(keepAlive: boolean): Promise<Agent> {
  const client = await issueClient(authority, "console-proxy");
  return new Agent({ ...client, ca: authority.certificate, servername: "console", keepAlive, maxCachedSessions: 0 });
}

test("a renewed certificate is served to who comes next, and connections that are open stay", async () => {
  const open = await connection(true);
  const first = await asked(open);
  await mount(await issued());
  await eventually(async () => {
    assert.notEqual((await asked(await connection(false))).serial, first.serial);
  }, soon);
  const again = await asked(open);
  assert.deepEqual([again.isReused, again.text], [true, "true"]);
  assert.deepEqual(errors, []);
  open.destroy();
});

test("a certificate with the key of another is not served, and the next whole pair is", async () => {
  const first = await asked(await connection(false));
  const [one, other] = [await issued(), await issued()];
  await mount({ ...one, key: other.key });
  await eventually(() => {
    assert.ok(errors.length > 0);
    return Promise.resolve();
  }, soon);
  assert.equal((await asked(await connection(false))).serial, first.serial);
  await mount(other);
  await eventually(async () => {
    assert.notEqual((await asked(await connection(false))).serial, first.serial);
  }, soon);
});

test("an authority that is trusted no more ends the connections that it let in; one that is added ends none", async () => {
  const next = await newAuthority();
  const open = await connection(true);
  const { serial } = await asked(open);
  const both = await issued(`${authority.certificate}\n${next.certificate}`);
  await mount(both);
  await eventually(async () => {
    assert.notEqual((await asked(await connection(false))).serial, serial);
  }, soon);
  assert.deepEqual(await asked(open), { serial, text: "true", isReused: true });
  await mount({ ...both, ca: next.certificate });
  await eventually(async () => {
    assert.equal((await asked(await connection(false))).text, "false");
  }, soon);
  const { text, isReused } = await asked(open);
  assert.deepEqual([text, isReused], ["false", false]);
});
