// The client against a server of the test's own.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import test, { afterEach } from "node:test";
import { identityOf } from "../postgresql/backup/certificate";
import { StorageFailure } from "./failure";
import type { Keys } from "./place";
import { S3Bucket, type Access } from "./s3-bucket";

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}
type Answer = (asked: Asked, response: ServerResponse) => void;

let server: Server | undefined;
let asked: Asked[] = [];
const opened: S3Bucket[] = [];

afterEach(() => {
  for (const bucket of opened.splice(0)) bucket.close();
  server?.closeAllConnections();
  server?.close();
  asked = [];
});

/** Answers in turn, and with the last one from then on. */
function answering(...answers: readonly Answer[]): RequestListener {
  let count = 0;
  return (request, response) => {
    void text(request).then((body) => {
      const { method = "", headers } = request;
      const one: Asked = { method, url: new URL(request.url ?? "", "http://localhost"), headers, body };
      asked.push(one);
      const answer = answers[Math.min(count++, answers.length - 1)];
      answer?.(one, response);
    });
  };
}

const usualKeys: Keys = { id: "one", secret: "private" };

async function serving(listener: RequestListener, some: Partial<Access> = {}): Promise<S3Bucket> {
  server = createServer(listener).listen(0, "localhost");
  return bucketAt(await endpointOf(server, "http"), some);
}

async function endpointOf(listening: Server, scheme: string): Promise<string> {
  await new Promise((resolve) => listening.once("listening", resolve));
  return `${scheme}://localhost:${(listening.address() as AddressInfo).port}`;
}

function bucketAt(endpoint: string, some: Partial<Access> = {}): S3Bucket {
  const place = { bucket: "backups", prefix: "prod/shop/orders", endpoint, region: "eu-1", pathStyle: true };
  const access = { keys: () => Promise.resolve(usualKeys), authority: undefined, patienceMs: 2_000, outageMs: 0 };
  const bucket = new S3Bucket(place, { ...access, ...some });
  opened.push(bucket);
  return bucket;
}

const fine: Answer = (_asked, response) => response.end();

const xml =
  (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (_asked, response) =>
    response
      .writeHead(status, { "content-type": "application/xml", ...headers })
      .end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);

const refusal = (code: string, status: number, headers: Record<string, string> = {}): Answer =>
  xml(`<Error><Code>${code}</Code><Message>as the server says it</Message></Error>`, status, headers);

/** What a request comes to nothing of. */
async function failure(request: Promise<unknown>): Promise<StorageFailure> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StorageFailure, String(error));
  return error;
}

test("an object is put below the place, with a digest by which the server knows that it is whole, and nothing new", async () => {
  const bucket = await serving(answering(fine));
  await bucket.put("mysql/g/data/1", Buffer.from("text"));
  const [one] = asked;
  assert.equal(`${one?.method} ${one?.url.pathname}`, "PUT /backups/prod/shop/orders/mysql/g/data/1");
  assert.equal(one?.body, "text");
  assert.equal(one.headers["content-md5"], createHash("md5").update("text").digest("base64"));
  assert.match(one.headers.authorization ?? "", /Credential=one\/\d+\/eu-1\/s3/);
  for (const header of Object.keys(one.headers)) assert.doesNotMatch(header, /checksum|trailer|content-encoding/);
  assert.equal(bucket.location, "s3://backups/prod/shop/orders");
});

test("an object is read; one that is not there is told from a bucket that is not", async () => {
  const bucket = await serving(
    answering((_asked, response) => response.end("text"), refusal("NoSuchKey", 404), refusal("NoSuchBucket", 404)),
  );
  assert.equal((await bucket.get("a"))?.toString(), "text");
  assert.equal(await bucket.get("b"), undefined);
  const { fault, message } = await failure(bucket.get("c"));
  assert.equal(fault, "bucket");
  assert.match(message, /could not get c in s3:\S+: there is no bucket backups at http:/);
});

test("what is refused with the same status as an object that is not there does not pass for one", async () => {
  const bucket = await serving(answering(refusal("XAdminUserNotFound", 404), refusal("Other", 404)));
  assert.equal((await failure(bucket.get("a"))).fault, "keys");
  assert.equal((await failure(bucket.get("a"))).fault, "storage");
});

test("an answer that is cut off is no object", async () => {
  const cut: Answer = (_asked, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("text", () => response.destroy());
  };
  const bucket = await serving(answering(cut));
  assert.equal((await failure(bucket.get("a"))).fault, "unreachable");
});

test("a list has all pages, and names without the place; directories are told apart", async () => {
  const key = "prod/shop/orders/mysql/g";
  const bucket = await serving(
    answering(
      xml(
        `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken><Contents><Key>${key}/1</Key><Size>5</Size></Contents></ListBucketResult>`,
      ),
      xml(
        `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>${key}/2</Key><Size>6</Size></Contents></ListBucketResult>`,
      ),
      xml(
        `<ListBucketResult><CommonPrefixes><Prefix>${key}/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>prod/shop/orders/mysql/h/</Prefix></CommonPrefixes></ListBucketResult>`,
      ),
    ),
  );
  const found = [];
  for await (const one of bucket.list("mysql/g/")) found.push(one);
  assert.deepEqual(found, [
    { name: "mysql/g/1", bytes: 5 },
    { name: "mysql/g/2", bytes: 6 },
  ]);
  assert.deepEqual(await bucket.directories("mysql/"), ["g", "h"]);
  assert.deepEqual(
    asked.map(({ url }) => ["prefix", "continuation-token", "delimiter"].map((name) => url.searchParams.get(name))),
    [
      ["prod/shop/orders/mysql/g/", null, null],
      ["prod/shop/orders/mysql/g/", "more", null],
      ["prod/shop/orders/mysql/", null, "/"],
    ],
  );
});

test("to remove what is not there is well", async () => {
  const bucket = await serving(answering(fine, refusal("NoSuchKey", 404)));
  await bucket.remove("a");
  await bucket.remove("a");
  assert.deepEqual(
    asked.map(({ method }) => method),
    ["DELETE", "DELETE"],
  );
});

test("keys are asked for before each request: they may be replaced", async () => {
  let count = 0;
  const keys = (): Promise<Keys> => Promise.resolve({ id: `key${++count}`, secret: "private" });
  const bucket = await serving(answering(fine), { keys });
  await bucket.put("a", Buffer.from("1"));
  await bucket.put("b", Buffer.from("2"));
  const [one, other] = asked.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? "")?.[1]);
  assert.notEqual(one, other);
});

test("what fails for a moment is tried again, as a whole", async () => {
  const bucket = await serving(answering(refusal("SlowDown", 503), fine));
  await bucket.put("a", Buffer.from("text"));
  assert.deepEqual(
    asked.map(({ body }) => body),
    ["text", "text"],
  );
});

test("an outage that takes longer than the client itself has patience for is waited out, whatever it cuts off", async () => {
  const cut: Answer = (_asked, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("text", () => response.destroy());
  };
  const down = refusal("ServiceUnavailable", 503);
  const bucket = await serving(answering(cut, down, down, down, fine), { outageMs: 10_000 });
  assert.deepEqual(await bucket.get("a"), Buffer.alloc(0));
  assert.equal(asked.length, 5);
});

test("what a person must put right is not waited for", async () => {
  const bucket = await serving(answering(refusal("AccessDenied", 403)), { outageMs: 60_000 });
  assert.equal((await failure(bucket.get("a"))).fault, "rights");
  assert.equal(asked.length, 1);
});

test("a clock that differs is made up for, by what the storage says the time is", async () => {
  const ahead = new Date(Date.now() + 3 * 3_600_000);
  const bucket = await serving(answering(refusal("RequestTimeTooSkewed", 403, { date: ahead.toUTCString() }), fine));
  await bucket.put("a", Buffer.from("text"));
  const said = asked.at(-1)?.headers["x-amz-date"];
  assert.equal(String(said).slice(0, 11), ahead.toISOString().replaceAll(/[-:]/g, "").slice(0, 11));
});

for (const [code, status, fault, message] of [
  ["InvalidAccessKeyId", 403, "keys", /does not know the keys: correct accessKeyId/],
  ["SignatureDoesNotMatch", 403, "keys", /does not know the keys/],
  ["AccessDenied", 403, "rights", /the account may not do that in bucket backups/],
  ["NoSuchBucket", 404, "bucket", /make it, or correct destination\.s3/],
  ["QuotaExceeded", 403, "full", /bucket backups at http:\S+ takes no more: make room, or raise its quota \(Quota/],
  ["XMinioStorageFull", 507, "full", /takes no more/],
  ["AuthorizationHeaderMalformed", 400, "region", /is not in region eu-1/],
  ["BadDigest", 400, "storage", /refuses \(BadDigest: as the server says it\)/],
  ["InternalError", 500, "storage", /refuses \(InternalError/],
] as const)
  test(`${code} is told as what to look at`, async () => {
    const bucket = await serving(answering(refusal(code, status)));
    const failed = await failure(bucket.put("a", Buffer.from("text")));
    assert.equal(failed.fault, fault);
    assert.match(failed.message, message);
    assert.doesNotMatch(failed.message, /private/);
  });

test("a storage that is not there, or says nothing, does not answer", async () => {
  const silent = await serving(() => undefined, { patienceMs: 200 });
  assert.equal((await failure(silent.put("a", Buffer.from("text")))).fault, "unreachable");
  const none = await failure(bucketAt("http://localhost:9").get("a"));
  assert.match(none.message, /http:\/\/localhost:9 does not answer \(.*ECONNREFUSED/);
});

test("a certificate counts where its authority is known, and else is named", async () => {
  const { key, certificate } = identityOf("key of the test", { name: "storage", host: "localhost" });
  const listening = createTlsServer({ key, cert: certificate }, answering(fine)).listen(0, "localhost");
  server = listening;
  const endpoint = await endpointOf(listening, "https");
  await bucketAt(endpoint, { authority: certificate }).put("a", Buffer.from("text"));
  const { fault, message } = await failure(bucketAt(endpoint).put("a", Buffer.from("text")));
  assert.equal(fault, "certificate");
  assert.match(
    message,
    /the certificate of https:\/\/localhost:\d+ is not one to trust: name a Secret with its authority/,
  );
});
