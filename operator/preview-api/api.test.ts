import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { previewApi, type ApiReply, type ApiRequest, type DatabaseAccess, type PreviewPorts } from "./api";
import type { FrontProxy, User } from "./front-proxy";

const path = "/apis/preview.example.com/v1alpha1/namespaces/team/databasepreviews";
const proxy: FrontProxy = {
  ...{ bundle: "", authorities: new Set(["issuer"]), names: [], usernameHeaders: ["x-remote-user"] },
  ...{ uidHeaders: [], groupHeaders: ["x-remote-group"], extraPrefixes: [] },
};
const database = {
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "shop" },
  spec: { engine: "postgresql", version: "17.7" },
};
const asked = {
  apiVersion: "preview.example.com/v1alpha1",
  kind: "DatabasePreview",
  spec: { database },
};

const ports: PreviewPorts = {
  frontProxy: () => proxy,
  watches: (namespace) => namespace !== "elsewhere",
  allows: () => Promise.resolve(true),
  exists: () => Promise.resolve(true),
  preview: () => Promise.resolve({ outcome: "Planned" }),
  onError: (_path, error) => assert.fail(String(error)),
};

interface Sent extends Partial<ApiRequest> {
  readonly body?: unknown;
}

const request = ({ body = asked, ...some }: Sent = {}): ApiRequest => ({
  ...{ method: "POST", path, headers: { "x-remote-user": ["jane"], "x-remote-group": ["dev"] } },
  shown: { commonName: "front-proxy-client", issuers: ["issuer"] },
  withBody: (work) => work(typeof body === "string" ? body : JSON.stringify(body)),
  ...some,
});

const answer = (sent: Sent = {}, some: Partial<PreviewPorts> = {}, timeoutMs?: number): Promise<ApiReply> =>
  previewApi({ ...ports, ...some }, timeoutMs).answer(request(sent));

const Failure = z.object({ kind: z.literal("Status"), reason: z.string(), code: z.number(), message: z.string() });

/** Status, reason and words of an answer that is none. */
async function failure(...given: Parameters<typeof answer>): Promise<string> {
  const [status, body, headers = {}] = await answer(...given);
  const { reason, code, message } = Failure.parse(body);
  assert.equal(code, status);
  return `${status} ${reason}${headers["Retry-After"] === undefined ? "" : ", later"}: ${message}`;
}

test("the answer is the object that was created, with a status", async () => {
  const [status, body] = await answer();
  assert.equal(status, 201);
  assert.deepEqual(body, {
    ...asked,
    metadata: { namespace: "team", name: "shop" },
    spec: { operation: "Apply", database },
    status: { outcome: "Planned" },
  });
});

test("the Database is handed on as it is stored, in the namespace of the request", async () => {
  const given: unknown[] = [];
  const preview: PreviewPorts["preview"] = (question) => {
    given.push(question.database, question.operation);
    return Promise.resolve({});
  };
  const { engine: dbType, ...spec } = database.spec;
  const beta = { ...database, apiVersion: "example.com/v1beta1", spec: { dbType, ...spec } };
  await answer({ body: { ...asked, spec: { database: beta, operation: "Delete" } } }, { preview });
  const stored = { ...database, metadata: { name: "shop", namespace: "team" } };
  assert.deepEqual(given, [stored, "Delete"]);
});

const rights: readonly (readonly [string, { exists?: boolean; operation?: string }, DatabaseAccess["verb"][]])[] = [
  ["a change", {}, ["update", "patch"]],
  ["a creation", { exists: false }, ["create"]],
  ["a deletion", { operation: "Delete" }, ["delete"]],
];
for (const [what, { exists = true, operation = "Apply" }, verbs] of rights) {
  test(`who asks for ${what} must be allowed it, and nothing else`, async () => {
    const body = { ...asked, spec: { database, operation } };
    const seen: (readonly [User, DatabaseAccess])[] = [];
    const allowing =
      (allowed: string | undefined): PreviewPorts["allows"] =>
      (user, access) => {
        seen.push([user, access]);
        return Promise.resolve(access.verb === allowed);
      };
    const at = { exists: () => Promise.resolve(exists), preview: (): never => assert.fail("it was previewed") };
    assert.match(await failure({ body }, { ...at, allows: allowing(undefined) }), /^403 Forbidden: you may not/);
    const user = { username: "jane", groups: ["dev"], extra: {} };
    assert.deepEqual(
      seen,
      verbs.map((verb) => [user, { verb, namespace: "team", name: "shop" }]),
    );
    for (const verb of verbs) {
      const [status] = await answer({ body }, { exists: at.exists, allows: allowing(verb) });
      assert.equal(status, 201, verb);
    }
  });
}

const refused: Readonly<Record<string, readonly [Sent, Partial<PreviewPorts>, RegExp]>> = {
  "a client that is not the API server": [{ shown: undefined }, {}, /^401 Unauthorized: ask the API server/],
  "before the API server is known": [{}, { frontProxy: () => undefined }, /^503 ServiceUnavailable, later/],
  "a namespace that is not watched": [
    { path: path.replace("team", "elsewhere") },
    {},
    /^404 NotFound: the operator does not look after namespace elsewhere/,
  ],
  "another path": [{ path: `${path}/shop` }, {}, /^404 NotFound/],
  "a namespace that is none": [{ path: path.replace("team", "Team") }, {}, /^404 NotFound/],
  "a way out of the path": [{ path: path.replace("team", "..%2fkube-system") }, {}, /^404 NotFound/],
  "a list": [{ method: "GET" }, {}, /^405 MethodNotAllowed: databasepreviews can only be created/],
  "no JSON": [{ body: "{" }, {}, /^400 BadRequest: not a DatabasePreview/],
  "another kind": [{ body: { ...asked, kind: "Database" } }, {}, /^400 BadRequest: .*kind/],
  "no Database": [{ body: { ...asked, spec: {} } }, {}, /^400 BadRequest: .*spec\.database/],
  "an unknown field": [{ body: { ...asked, spec: { database, force: true } } }, {}, /^400 BadRequest: .*force/],
  "an object of another kind in it": [
    { body: { ...asked, spec: { database: { ...database, kind: "Pod" } } } },
    {},
    /^400 BadRequest: spec\.database is Pod/,
  ],
  "a name that is none": [
    { body: { ...asked, spec: { database: { ...database, metadata: { name: "../x" } } } } },
    {},
    /^400 BadRequest: .*must be the name of a Database/,
  ],
  "another namespace in it": [
    { body: { ...asked, spec: { database: { ...database, metadata: { name: "shop", namespace: "bank" } } } } },
    {},
    /^400 BadRequest: spec\.database\.metadata\.namespace: must be team/,
  ],
  "another namespace of the preview": [
    { body: { ...asked, metadata: { namespace: "bank" } } },
    {},
    /^400 BadRequest: metadata\.namespace: must be team/,
  ],
};
for (const [what, [sent, some, words]] of Object.entries(refused)) {
  test(`an error with a reason, and no preview: ${what}`, async () => {
    const preview = (): never => assert.fail("it was previewed");
    assert.match(await failure(sent, { ...some, preview }), words);
  });
}

test("a body that is not taken is an error as any other", async () => {
  const refusing = (status: number): Sent => ({ withBody: () => Promise.resolve([status, "it is not taken"]) });
  assert.equal(await failure(refusing(413)), "413 RequestEntityTooLarge: it is not taken");
  assert.equal(await failure(refusing(503)), "503 ServiceUnavailable, later: it is not taken");
});

test("what takes too long is ended, and its place stays taken until it really ends", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const signals: AbortSignal[] = [];
  const api = previewApi(
    {
      ...ports,
      preview: (_question, signal) => {
        signals.push(signal);
        return promise;
      },
    },
    5,
  );
  const answers = await Promise.all([1, 2, 3].map(() => api.answer(request())));
  // with a time to try again clients would have it repeated, each time in vain
  assert.deepEqual(
    answers.map(([code, , headers = {}]) => [code, headers["Retry-After"]]),
    Array.from({ length: 3 }, () => [504, undefined]),
  );
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true],
    "the third never began",
  );
  resolve({});
});

test("a connection on which the API server is not known is not kept", async () => {
  const connection = async (sent: Sent): Promise<string | undefined> => (await answer(sent))[2]?.["Connection"];
  assert.equal(await connection({}), undefined);
  assert.equal(await connection({ shown: undefined }), "close");
  assert.equal(await connection({ shown: { commonName: "x", issuers: ["replaced"] } }), "close");
  const discovery = { method: "GET", path: "/apis/preview.example.com/v1alpha1" };
  assert.equal(await connection({ ...discovery, shown: undefined }), "close");
  assert.equal(await connection(discovery), undefined);
});

test("one person does not take all places", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const api = previewApi({ ...ports, preview: () => promise });
  const running = [1, 2, 3].map(() => api.answer(request()));
  const [status, , headers = {}] = await api.answer(request());
  assert.deepEqual([status, headers["Retry-After"]], [429, "2"]);
  const other = api.answer(request({ headers: { "x-remote-user": ["joe"] } }));
  resolve({});
  assert.deepEqual(
    (await Promise.all([...running, other])).map(([code]) => code),
    [201, 201, 201, 201],
  );
});

test("of one who has enough in progress neither the question nor a right is looked at", async () => {
  const { promise: read, resolve: end } = Promise.withResolvers<undefined>();
  const api = previewApi(ports);
  const slow = request({
    withBody: async (work) => {
      await read;
      return work(JSON.stringify(asked));
    },
  });
  const reading = [1, 2, 3].map(() => api.answer(slow));
  const [status] = await api.answer(request({ withBody: () => assert.fail("it was read") }));
  assert.equal(status, 429);
  end(undefined);
  assert.deepEqual(
    (await Promise.all(reading)).map(([code]) => code),
    [201, 201, 201],
  );
});

test("a cluster that cannot be read is reported in the log, and to the client without what was wrong", async () => {
  const errors: unknown[] = [];
  const preview = (): Promise<never> => Promise.reject(new Error("secret address unreachable"));
  const onError = (_path: string, error: unknown): void => void errors.push(error);
  assert.match(
    await failure({}, { preview, onError }),
    /^500 InternalError: the operator could not preview it: its log/,
  );
  assert.equal(errors.length, 1);
});

test("clients discover the one kind without being known", async () => {
  const api = previewApi({ ...ports, frontProxy: () => undefined });
  const get = (of: string): Promise<ApiReply> => api.answer(request({ method: "GET", path: of, shown: undefined }));
  const [status, list] = await get("/apis/preview.example.com/v1alpha1");
  assert.equal(status, 200);
  assert.match(JSON.stringify(list), /"name":"databasepreviews".*"namespaced":true.*"verbs":\["create"\]/);
  const [ofGroup, group] = await get("/apis/preview.example.com");
  assert.deepEqual([ofGroup, z.object({ kind: z.string() }).parse(group).kind], [200, "APIGroup"]);
  assert.deepEqual(
    ["/apis/preview.example.com/v1alpha1", "/apis/preview.example.comx", "/validate", "/apis"].map(api.owns),
    [true, false, false, false],
  );
});
