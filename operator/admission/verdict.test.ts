import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import { engines } from "../stack/engines";
import { readsForStrangers } from "./strangers";
import { verdictOn, type AdmissionReads } from "./verdict";

const large = { shared_buffers: "1GB" };

const secrets: Readonly<Record<string, ReadonlySet<string>>> = {
  whole: new Set(["accessKeyId", "secretAccessKey"]),
  half: new Set(["accessKeyId"]),
  ca: new Set(["ca.crt"]),
};

const at: AdmissionReads = {
  catalogue: () => ({ postgresql: { "17.6": { image: "i" } } }),
  engines,
  configSource: (_namespace, name) => Promise.resolve(name === "large" ? large : {}),
  volumes: {
    canGrow: () => Promise.resolve(true),
    classOf: () => Promise.resolve(undefined),
    isKept: () => Promise.resolve(false),
  },
  placement: { problemOf: () => Promise.resolve(undefined) },
  secretKeys: (_namespace, name) => Promise.resolve(secrets[name]),
  database: () => undefined,
};

const memory = (limit: string, more: Record<string, string> = {}): Record<string, unknown> => ({
  resources: { limits: { memory: limit, ...more } },
});

async function problemsOf(
  after: Record<string, unknown>,
  before?: Record<string, unknown>,
  reads = at,
): Promise<string> {
  const change = { namespace: "team", name: "shop", before: before && specOf(before), after: specOf(after) };
  return (await verdictOn(change, reads)).problems.join("\n");
}

test("buffers beyond the memory of a member are refused, the default of memory included", async () => {
  const problems = await problemsOf({ config: { shared_buffers: "1TB" } });
  assert.match(problems, /^spec.config: parameter "shared_buffers" is "1TB": .* limit of a member is 512Mi: lower it/);
  assert.equal(await problemsOf({ config: large, ...memory("2Gi") }), "");
});

test("less memory than the buffers take is refused, whether they are in spec.config or in the ConfigMap", async () => {
  const [before, after] = [memory("2Gi"), memory("1000Mi")];
  const problem = /parameter "shared_buffers" is "1GB": .* limit of a member is 1000Mi/;
  assert.match(await problemsOf({ config: large, ...after }, { config: large, ...before }), problem);
  const configFrom = { name: "large" };
  const shared = await problemsOf({ configFrom, ...after }, { configFrom, ...before });
  assert.match(shared, new RegExp(String.raw`^spec.configFrom \(ConfigMap large\): ${problem.source}`));
});

test("buffers that were already too large block no other change", async () => {
  const before = { config: large, ...memory("1000Mi") };
  assert.equal(await problemsOf({ config: large, ...memory("1000Mi", { cpu: "1" }) }, before), "");
  assert.equal(await problemsOf({ ...before, replicas: 2 }, before), "");
});

test("a library that the image does not have is refused, unless the catalogue names it", async () => {
  const spec = { config: { shared_preload_libraries: "pg_stat_statements,pgaudit" } };
  assert.match(
    await problemsOf(spec),
    /^spec.config: parameter "shared_preload_libraries" .* names "pgaudit", a library/,
  );
  const entry = { image: "own", libraries: ["pgaudit"] };
  const catalogued = { ...at, catalogue: () => ({ postgresql: { "17.6": entry } }) };
  assert.equal(await problemsOf(spec, undefined, catalogued), "");
  // before the catalogue is read this is unknown
  assert.equal(await problemsOf(spec, undefined, { ...at, catalogue: () => undefined }), "");
});

const withStorage = (
  credentials: string,
  more: Record<string, unknown> = {},
  beside: Record<string, unknown> = {},
): Record<string, unknown> => ({
  backup: {
    destination: { s3: { bucket: "backups", endpoint: "https://s3", credentials: { name: credentials }, ...more } },
    ...beside,
  },
});

async function warningsOf(
  after: Record<string, unknown>,
  before?: Record<string, unknown>,
  reads = at,
): Promise<string> {
  const change = { namespace: "team", name: "shop", before: before && specOf(before), after: specOf(after) };
  return (await verdictOn(change, reads)).warnings.join("\n");
}

test("a Secret of the object storage that is missing, or lacks a key, is named, and refuses nothing", async () => {
  assert.match(await warningsOf(withStorage("none")), /s3\.credentials: there is no Secret none yet/);
  assert.match(await warningsOf(withStorage("half")), /Secret half has no key secretAccessKey yet/);
  assert.match(
    await warningsOf(withStorage("whole", { ca: { name: "half" } })),
    /s3\.ca: Secret half has no key ca\.crt/,
  );
  assert.match(
    await warningsOf(withStorage("whole", {}, { encryption: { secret: { name: "whole" } } })),
    /spec\.backup\.encryption\.secret: Secret whole has no key passphrase yet; until it has, nothing is backed up/,
  );
  const place = { bucket: "backups", prefix: "prod/shop/orders", endpoint: "https://s3" };
  assert.match(
    await warningsOf({ restore: { s3: { ...place, credentials: { name: "half" } } } }),
    /spec\.restore\.s3\.credentials: Secret half has no key secretAccessKey yet; until it has, the restore waits/,
  );
  assert.match(await warningsOf(withStorage("whole", { endpoint: "http://s3" })), /readable on the way/);
  assert.doesNotMatch(await warningsOf(withStorage("whole", { ca: { name: "ca" } })), /s3/);
  assert.doesNotMatch(await warningsOf({ ...withStorage("none"), replicas: 2 }, withStorage("none")), /s3/);
  assert.equal(await problemsOf(withStorage("none")), "");
});

test("of a server elsewhere it is said which of its Secrets lack something, and that the way is open", async () => {
  const server = { host: "old-db", databases: ["shop"], credentials: { name: "half" } };
  const said = await warningsOf({ initFrom: { ...server, tls: { mode: "Disable", ca: { name: "ca" } } } });
  assert.match(
    said,
    /spec\.initFrom\.credentials: Secret half has no key username yet; until it has, the import waits/,
  );
  assert.match(said, /spec\.initFrom\.tls\.mode: with Disable everything, the password too, is readable on the way/);
  assert.doesNotMatch(said, /tls\.ca/);
});

test("who is not known learns nothing of Secrets: neither which there are, nor what is in them", async () => {
  const read: string[] = [];
  const noting = {
    ...at,
    secretKeys: (_namespace: string, name: string) => {
      read.push(name);
      return at.secretKeys(_namespace, name);
    },
  };
  const server = { host: "old-db", databases: ["shop"], credentials: { name: "half" } };
  const said = ["none", "half", "whole"].map((name) => {
    const asked = { ...withStorage(name, { ca: { name: "half" } }), initFrom: server };
    return warningsOf(asked, undefined, readsForStrangers(noting));
  });
  const [first, ...others] = await Promise.all(said);
  assert.doesNotMatch(first ?? "", /Secret/);
  assert.deepEqual(new Set(others), new Set([first]));
  assert.deepEqual(read, []);
});

test("a range with every address in it is a warning where it comes, also with a new Database", async () => {
  const open = (...ranges: string[]): Record<string, unknown> => ({
    services: { readOnly: { type: "LoadBalancer", loadBalancerSourceRanges: ranges } },
  });
  const warning = /spec\.services\.readOnly\.loadBalancerSourceRanges: 0\.0\.0\.0\/0 lets every address connect/;
  assert.match(await warningsOf(open("0.0.0.0/0")), warning);
  assert.match(await warningsOf(open("0.0.0.0/0"), open("203.0.113.0/24")), warning);
  assert.doesNotMatch(await warningsOf({ ...open("0.0.0.0/0"), replicas: 2 }, open("0.0.0.0/0")), /services/);
  assert.doesNotMatch(await warningsOf(open("203.0.113.0/24")), /services/);
});
