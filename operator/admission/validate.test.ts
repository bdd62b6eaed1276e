// What the webhook tells of consequences, beside its verdict.
import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import type { Consequence } from "../consequences/consequence";
import { engines } from "../stack/engines";
import type { TellConsequences } from "./consequences";
import type { Answer, Later } from "./review";
import { answerAdmission } from "./validate";
import type { AdmissionReads } from "./verdict";

const restarts: Consequence = { effect: "RollingRestart", members: [], message: "all members restart" };

const withinMs = 2000;
const within = (tell: TellConsequences): AdmissionReads["consequences"] => ({ tell, withinMs });

const reads: AdmissionReads = {
  catalogue: () => ({ postgresql: { "17.6": { image: "a" }, "17.7": { image: "b" } } }),
  database: (key) => (key === "team/shop" ? whole({}) : undefined),
  placement: { problemOf: () => Promise.resolve(undefined) },
  engines,
  secretKeys: () => Promise.resolve(undefined),
  configSource: () => Promise.resolve(undefined),
  volumes: {
    canGrow: () => Promise.resolve(true),
    classOf: () => Promise.resolve(undefined),
    isKept: () => Promise.resolve(false),
  },
  consequences: within(() => Promise.resolve([restarts])),
};

interface Asked {
  readonly before?: Record<string, unknown>;
  readonly after: Record<string, unknown>;
  readonly options?: unknown;
  /** Of the review. */
  readonly name?: string;
  /** Of the objects in it. */
  readonly metadata?: unknown;
}

const metadata = { name: "shop", namespace: "team", uid: "of-shop" };
const whole = (spec: Record<string, unknown>, as: unknown = metadata): unknown => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: as,
  spec: { engine: "postgresql", version: "17.6", ...spec },
});

const Response = z.object({ response: z.object({ allowed: z.boolean(), warnings: z.array(z.string()) }) });

function reviewOf({ before, after, options, name = "shop", metadata: as }: Asked): string {
  const request = {
    uid: "a-uid",
    kind: { group: "example.com", version: "v1", kind: "Database" },
    operation: before === undefined ? "CREATE" : "UPDATE",
    ...{ name, namespace: "team", object: whole(after, as), options },
    oldObject: before === undefined ? null : whole(before, as),
  };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

function responseIn(answer: Answer): z.infer<typeof Response>["response"] {
  assert(answer.kind === "review", JSON.stringify(answer));
  return Response.parse(answer.review).response;
}

async function judged(asked: Asked, at = reads): Promise<z.infer<typeof Response>["response"]> {
  const answered = await answerAdmission(reviewOf(asked), at);
  return responseIn(answered.kind === "later" ? await answered.finish() : answered);
}

/** What is left to do once there is a verdict. */
async function laterOf(asked: Asked, at: AdmissionReads): Promise<Later> {
  const answered = await answerAdmission(reviewOf(asked), at);
  assert(answered.kind === "later");
  return answered;
}

const another = { before: {}, after: { version: "17.7" } };
const optionsOf = (fieldManager: string): unknown => ({ kind: "PatchOptions", dryRun: ["All"], fieldManager });

test("the author of a change is warned of what it means, beside what is likely a mistake", async () => {
  assert.deepEqual((await judged(another)).warnings, ["all members restart"]);
  const { warnings } = await judged({ before: {}, after: { replicas: 1 } });
  assert.match(warnings[0] ?? "", /with 1 there is no failover/);
  assert.equal(warnings[1], "all members restart");
});

test("of a change that is refused, of a new Database and of the operator's own writes nothing is told", async () => {
  const refused = await judged({ before: {}, after: { version: "99.1" } });
  assert.deepEqual([refused.allowed, refused.warnings], [false, []]);
  assert.deepEqual((await judged({ after: {} })).warnings, []);
  assert.deepEqual((await judged({ ...another, options: optionsOf("database-operator") })).warnings, []);
  assert.equal((await judged({ ...another, options: optionsOf("kubectl") })).warnings.length, 1);
  assert.equal((await judged({ ...another, options: { fieldManager: 7 } })).warnings.length, 1);
});

test("without an object that is watched, by its name and its UID, nothing is looked at", async () => {
  let looks = 0;
  const consequences = within((): Promise<readonly Consequence[]> => {
    looks += 1;
    return Promise.resolve([restarts]);
  });
  const { name, namespace } = metadata;
  const others: readonly Partial<Asked>[] = [
    { name: "orders" },
    { metadata: { ...metadata, uid: "guessed" } },
    { metadata: { name, namespace } },
    { name: "orders", metadata: { ...metadata, name: "orders" } },
    { metadata: { ...metadata, namespace: "bank" } },
    { after: { version: "99.1" } },
  ];
  for (const other of others) await judged({ ...another, ...other }, { ...reads, consequences });
  await judged(another, { ...reads, consequences, database: () => undefined });
  assert.equal(looks, 0);
  await judged(another, { ...reads, consequences });
  assert.equal(looks, 1);
});

test("the verdict is there before anything is previewed, and both have one budget of time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  // mocked once: of two mocks of one method the first would come back at the end
  let now = 1000;
  t.mock.method(performance, "now", () => now);
  const review = (
    await laterOf(another, { ...reads, consequences: within(() => new Promise(() => undefined)) })
  ).finish();
  t.mock.timers.tick(withinMs);
  assert.deepEqual(responseIn(await review), { allowed: true, warnings: [] });
  const late = await laterOf(another, reads);
  now += withinMs;
  assert.deepEqual(responseIn(await late.finish()), { allowed: true, warnings: [] });
});

test("consequences that cannot be told refuse nothing", async () => {
  const failing = { ...reads, consequences: within(() => Promise.reject(new Error("unreachable"))) };
  assert.deepEqual(await judged(another, failing), { allowed: true, warnings: [] });
});
