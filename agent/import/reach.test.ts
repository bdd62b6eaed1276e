import assert from "node:assert/strict";
import test from "node:test";
import { reach } from "./reach";

const failing = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/** Answers after these errors. */
function serverAfter(errors: readonly Error[]): { readonly connect: () => Promise<string>; asked: number } {
  const server = {
    asked: 0,
    connect: () => {
      const error = errors[server.asked++];
      return error === undefined ? Promise.resolve("a session") : Promise.reject(error);
    },
  };
  return server;
}

test("a server that the network does not reach is waited for, and what it waits for is said once", async () => {
  const said: string[] = [];
  const refused = failing("connect ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED");
  const nowhere = new AggregateError([refused], "");
  const server = serverAfter([refused, refused, nowhere, failing("getaddrinfo EAI_AGAIN old-db", "EAI_AGAIN")]);
  const reaching = { title: "shop of old-db:5432", log: (text: string) => said.push(text), pause: 1 };
  assert.equal(await reach(server.connect, reaching), "a session");
  assert.deepEqual(said, [
    "waiting for shop of old-db:5432: connect ECONNREFUSED 10.0.0.1:5432",
    "waiting for shop of old-db:5432: getaddrinfo EAI_AGAIN old-db",
  ]);
});

test("what the server itself says is final, and waiting ends", async () => {
  const reaching = { title: "shop of old-db:5432", log: () => undefined, pause: 1 };
  const refusing = serverAfter([failing('password authentication failed for user "app"', "28P01")]);
  await assert.rejects(reach(refusing.connect, reaching), /^Error: shop of old-db:5432 cannot be entered: password/);
  assert.equal(refusing.asked, 1);
  const away = serverAfter(Array.from({ length: 50 }, () => failing("timed out", "ETIMEDOUT")));
  await assert.rejects(reach(away.connect, { ...reaching, patience: 20 }), /cannot be entered: timed out/);
});

test("of a certificate that is not trusted it says what to write", async () => {
  const text = "self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca";
  const server = serverAfter([failing(text, "DEPTH_ZERO_SELF_SIGNED_CERT")]);
  await assert.rejects(
    reach(server.connect, { title: "it", log: () => undefined }),
    /entered: self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\): its authority must be in the Secret of initFrom\.tls\.ca, which can be corrected.* cannot be changed: delete the Database/,
  );
  const ofDriver = serverAfter([failing("self-signed certificate in certificate chain", "HANDSHAKE_SSL_ERROR")]);
  await assert.rejects(reach(ofDriver.connect, { title: "it", log: () => undefined }), /its authority must be in/);
});
