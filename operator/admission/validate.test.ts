// What the webhook tells of consequences, beside its verdict.
import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import type { Consequence } from "../consequences/consequence";
import { engines } from "../stack/engines";
import { answerAdmission } from "./validate";
import type { AdmissionReads } from "./verdict";

const restarts: Consequence = { effect: "RollingRestart", members: [], message: "all members restart" };

const reads: AdmissionReads = {
  catalogue: () => ({ postgresql: { "17.6": { image: "a" }, "17.7": { image: "b" } } }),
  database: () => undefined,
  placement: { problemOf: () => Promise.resolve(undefined) },
  engines,
  secretKeys: () => Promise.resolve(undefined),
  configSource: () => Promise.resolve(undefined),
  volumes: {
    canGrow: () => Promise.resolve(true),
    classOf: () => Promise.resolve(undefined),
    isKept: () => Promise.resolve(false),
  },
  consequences: () => Promise.resolve([restarts]),
};

interface Asked {
  readonly before?: Record<string, unknown>;
  readonly after: Record<string, unknown>;
  readonly options?: unknown;
  readonly name?: string;
}

const whole = (spec: Record<string, unknown>): unknown => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "shop", namespace: "team" },
  spec: { engine: "postgresql", version: "17.6", ...spec },
});

const Response = z.object({ response: z.object({ allowed: z.boolean(), warnings: z.array(z.string()) }) });

async function judged(
  { before, after, options, name = "shop" }: Asked,
  at = reads,
): Promise<z.infer<typeof Response>["response"]> {
  const request = {
    uid: "a-uid",
    kind: { group: "example.com", version: "v1", kind: "Database" },
    operation: before === undefined ? "CREATE" : "UPDATE",
    ...{ name, namespace: "team", object: whole(after), options },
    oldObject: before === undefined ? null : whole(before),
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const answer = await answerAdmission(JSON.stringify(review), at);
  assert(answer.kind === "review", JSON.stringify(answer));
  return Response.parse(answer.review).response;
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

test("of an object that is not the one that the review names nothing is told", async () => {
  assert.deepEqual((await judged({ ...another, name: "orders" })).warnings, []);
});

test("consequences that cannot be told refuse nothing", async () => {
  const failing = { ...reads, consequences: () => Promise.reject(new Error("unreachable")) };
  assert.deepEqual(await judged(another, failing), { allowed: true, warnings: [] });
});
