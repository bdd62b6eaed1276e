import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { engines } from "../stack/engines";
import { answerConversion } from "./convert";
import type { Answer, Later } from "./review";
import { answerAdmission } from "./validate";
import type { AdmissionReads } from "./verdict";

const stored = (spec: unknown): Record<string, unknown> => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "shop", namespace: "team" },
  spec,
});

const conversionReview = (objects: unknown, desiredAPIVersion = "example.com/v1beta1"): Record<string, unknown> => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "a-uid", desiredAPIVersion, objects },
});

function reviewOf(answer: Answer | Later): unknown {
  assert(answer.kind === "review", JSON.stringify(answer));
  return answer.review;
}

const configMaps: Record<string, Record<string, string>> = {
  good: { work_mem: "8MB" },
  bad: { archive_command: "rm", work_mem: "much" },
};

const reads: AdmissionReads = {
  catalogue: () => ({
    postgresql: {
      "17.6": { image: "a" },
      "17.7": { image: "b" },
      "17.8": { image: "c", limits: { replicas: 1, config: false } },
    },
    mysql: { "9.7": { image: "d" } },
  }),
  database: (key) => (key === "team/orders" ? {} : undefined),
  placement: {
    problemOf: ({ memory }) =>
      Promise.resolve(memory > 2 ** 35 ? "no node has 64Gi of memory (the largest has 15Gi) for a member" : undefined),
  },
  engines,
  secretKeys: () => Promise.resolve(undefined),
  configSource: (_namespace, name) => Promise.resolve(configMaps[name]),
  volumes: {
    isKept: () => Promise.resolve(false),
    canGrow: (name) => Promise.resolve({ rigid: false, soft: true }[name]),
    classOf: (_namespace, claim) =>
      Promise.resolve({ "data-rigid-0": "rigid", "rigid-backup": "rigid", "data-soft-0": "soft" }[claim]),
  },
};

interface Asked {
  readonly name?: string;
  readonly namespace?: string;
  readonly operation?: string;
  readonly before?: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

const whole = (spec: Record<string, unknown>): unknown => stored({ engine: "postgresql", version: "17.6", ...spec });

function admissionReview({
  name = "shop",
  namespace = "team",
  operation,
  before,
  after,
}: Asked): Record<string, unknown> {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "a-uid",
      kind: { group: "example.com", version: "v1", kind: "Database" },
      operation: operation ?? (before === undefined ? "CREATE" : "UPDATE"),
      ...{ name, namespace },
      object: whole(after),
      oldObject: before === undefined ? null : whole(before),
    },
  };
}

const Response = z.object({
  response: z.object({
    uid: z.literal("a-uid"),
    allowed: z.boolean(),
    status: z.object({ message: z.string() }).optional(),
    warnings: z.array(z.string()),
  }),
});

async function judged(asked: Asked, at = reads): Promise<z.infer<typeof Response>["response"]> {
  return Response.parse(reviewOf(await answerAdmission(JSON.stringify(admissionReview(asked)), at))).response;
}

const refused: Record<string, { asked: Asked; says: string | RegExp }> = {
  "a version that the catalogue lacks": {
    asked: { after: { version: "99.1" } },
    says: "spec.version: the catalogue has no postgresql 99.1; available: 17.8, 17.7, 17.6",
  },
  "a change to such a version": {
    asked: { before: {}, after: { version: "17.9" } },
    says: /available: 17.8, 17.7, 17.6$/,
  },
  "more members than the server in the image supports": {
    asked: { after: { version: "17.8" } },
    says: "spec.replicas: the image of postgresql 17.8 runs one member at most: write 1",
  },
  "parameters for a server that accepts none": {
    asked: {
      before: { version: "17.8", replicas: 1 },
      after: { version: "17.8", replicas: 1, config: { jit: "off" } },
    },
    says: "spec.config: the image of postgresql 17.8 takes no parameters: remove jit",
  },
  "a name whose Service another Database has": {
    asked: { name: "orders-ro", after: {} },
    says: /^metadata\.name: Service orders-ro belongs to Database orders of this namespace: choose another name/,
  },
  "a reserved parameter": {
    asked: { after: { config: { archive_command: "rm" } } },
    says: /^spec.config: parameter "archive_command" cannot be set/,
  },
  "a bad and a reserved parameter in the ConfigMap": {
    asked: { before: {}, after: { configFrom: { name: "bad" } } },
    says: /^spec.configFrom \(ConfigMap bad\): .*archive_command.*; spec.configFrom \(ConfigMap bad\): .*work_mem/,
  },
  "a larger data volume, and with it the backup volume, of a class that cannot grow": {
    asked: { name: "rigid", before: { storage: "5Gi" }, after: { storage: "10Gi" } },
    says: /^spec.storage: StorageClass rigid does not let volumes grow: leave .* at 5Gi, or .*; spec.backup: StorageClass rigid/,
  },
};

for (const [sentence, { asked, says }] of Object.entries(refused)) {
  test(`refused, with what to write: ${sentence}`, async () => {
    const { allowed, status } = await judged(asked);
    assert.equal(allowed, false);
    if (typeof says === "string") assert.equal(status?.message, says);
    else assert.match(status?.message ?? "", says);
  });
}

const fine: Record<string, { asked: Asked; at?: AdmissionReads }> = {
  "the smallest Database": { asked: { after: {} } },
  "a change of another field where version, ConfigMap and class have become wrong since": {
    asked: {
      before: { version: "16.1", configFrom: { name: "bad" }, storageClass: "none" },
      after: { version: "16.1", configFrom: { name: "bad" }, storageClass: "none", paused: true },
    },
  },
  "a ConfigMap with good parameters": { asked: { after: { configFrom: { name: "good" } } } },
  "a larger volume of a class that can grow": {
    asked: { name: "soft", before: { storage: "5Gi" }, after: { storage: "10Gi" } },
  },
  "a larger volume that does not exist yet": { asked: { before: { storage: "5Gi" }, after: { storage: "10Gi" } } },
  "any version while the catalogue is not known": {
    asked: { after: { version: "99.1" } },
    at: { ...reads, catalogue: () => undefined },
  },
  "a spec that the API server's own rules are about": { asked: { after: { engine: 7, version: "99.1" } } },
  "a deletion": { asked: { operation: "DELETE", after: { version: "99.1" } } },
};

for (const [sentence, { asked, at }] of Object.entries(fine)) {
  test(`let through without a warning: ${sentence}`, async () => {
    assert.deepEqual(await judged(asked, at), { uid: "a-uid", allowed: true, warnings: [] });
  });
}

const warned: Record<string, { asked: Asked; of: RegExp }> = {
  "more memory than any node has": {
    asked: {
      before: { resources: { requests: { memory: "1Gi" }, limits: { memory: "1Gi" } } },
      after: { resources: { requests: { memory: "64Gi" }, limits: { memory: "64Gi" } } },
    },
    of: /^spec\.resources: no node has 64Gi of memory \(the largest has 15Gi\) for a member; members wait until that changes/,
  },
  "a ConfigMap that is not there yet": { asked: { after: { configFrom: { name: "none" } } }, of: /ConfigMap none/ },
  "a StorageClass that is not there yet": { asked: { after: { storageClass: "fst" } }, of: /no StorageClass fst yet/ },
  "one member": { asked: { after: { replicas: 1 } }, of: /with 1 there is no failover/ },
  "going down to one member": { asked: { before: {}, after: { replicas: 1 } }, of: /with 1 there is no failover/ },
  "members that tolerate no more failures than one less": {
    asked: { after: { engine: "mysql", version: "9.7", replicas: 4 } },
    of: /4 members tolerate no more failures than 3/,
  },
  "a schedule that never fires": {
    asked: { after: { backup: { schedule: "0 0 30 2 *" } } },
    of: /none of its months has such a day/,
  },
  "commits that wait for the only other member": {
    asked: { after: { replicas: 2, highAvailability: { synchronousCommit: true, synchronous: { strict: true } } } },
    of: /with 2 replicas commits wait whenever either restarts/,
  },
  "data that is kept nowhere": {
    asked: { after: { backup: { enabled: false }, deletionPolicy: "Delete" } },
    of: /destroys its data permanently/,
  },
};

for (const [sentence, { asked, of }] of Object.entries(warned)) {
  test(`let through with a warning that is short enough to be shown: ${sentence}`, async () => {
    const { allowed, warnings } = await judged(asked);
    assert.equal(allowed, true);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", of);
    assert((warnings[0]?.length ?? 0) <= 256);
  });
}

test("a commit that waits for no other member is not confused with a single member", async () => {
  const { warnings } = await judged({ after: { replicas: 1, highAvailability: { synchronousCommit: true } } });
  assert.equal(warnings.length, 2);
  const { warnings: again } = await judged({ before: { replicas: 1 }, after: { replicas: 1, paused: true } });
  assert.deepEqual(again, []);
});

const admission = JSON.stringify(admissionReview({ after: {} }));
const malformed: Record<string, { text: string; says: RegExp }> = {
  "no JSON": { text: "{", says: /not a/ },
  nothing: { text: "", says: /not a/ },
  "another kind": { text: '{"apiVersion":"v1","kind":"Pod"}', says: /apiVersion: .*; kind: / },
  "an older version of the review": {
    text: JSON.stringify({ ...conversionReview([]), apiVersion: "apiextensions.k8s.io/v1beta1" }),
    says: /apiVersion/,
  },
  "no request": { text: JSON.stringify({ ...conversionReview([]), request: undefined }), says: /request/ },
  "a request without objects": { text: JSON.stringify(conversionReview(undefined)), says: /request.objects/ },
};

for (const [sentence, { text, says }] of Object.entries(malformed)) {
  test(`neither webhook takes ${sentence} for a review, and both say why`, async () => {
    for (const answer of [await answerConversion(text), await answerAdmission(text, reads)]) {
      assert(answer.kind === "malformed");
      assert.match(answer.problem, /^not a/);
    }
    const answer = await answerConversion(text);
    assert(answer.kind === "malformed");
    assert.match(answer.problem, says);
  });
}

test("a review of another kind of object is refused as malformed", async () => {
  const answer = await answerAdmission(admission.replace('"kind":"Database"}', '"kind":"Other"}'), reads);
  assert(answer.kind === "malformed");
  assert.match(answer.problem, /not about a Database/);
});

test("where the cluster cannot be read there is no answer", async () => {
  const at = { ...reads, configSource: () => Promise.reject(new Error("unreachable")) };
  const review = JSON.stringify(admissionReview({ after: { configFrom: { name: "good" } } }));
  await assert.rejects(answerAdmission(review, at), /unreachable/);
});

test("a review with invalid names is refused as malformed, and nothing is read for it", async () => {
  const read: string[] = [];
  const configSource = (namespace: string): Promise<undefined> => {
    read.push(namespace);
    return Promise.resolve(undefined);
  };
  const after = { configFrom: { name: "tuning" } };
  const ask = (names: Pick<Asked, "namespace" | "name">): Promise<Answer | Later> =>
    answerAdmission(JSON.stringify(admissionReview({ after, ...names })), { ...reads, configSource });
  const problem = async (names: Pick<Asked, "namespace" | "name">): Promise<string> => {
    const answer = await ask(names);
    return answer.kind === "malformed" ? answer.problem : "it is a review";
  };
  for (const namespace of ["kube-system/secrets/foo?", "..", "", "Team", "a".repeat(64)])
    assert.match(await problem({ namespace }), /request\.namespace: must be the name of a namespace/, namespace);
  for (const name of ["shop/../other", "shop?", "."])
    assert.match(await problem({ name }), /request\.name: must be the name of an object/, name);
  assert.deepEqual(read, []);
  // an object whose name the API server must generate has none yet
  assert.equal((await ask({ name: "" })).kind, "review");
  assert.deepEqual(read, ["team"]);
});
