// Changes of the platform over all Databases: seen before by everyone who may write them, and a release of the operator that restarts nothing
// that did not agree. A real API server, CLI and provider; nodes are simulated.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { previewApiService } from "../../contract/resources";
import { freePorts } from "../../tools/host/ports";
import { approve, pendingOf, untilWaits, type Place } from "../harness/approvals";
import { untilCounted } from "../harness/at-rest";
import { database, untilBackedUp, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { otherRelease } from "../harness/other-release";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { pluginUsers, type PluginUsers } from "../harness/plugin";
import { readMember, type ShownMember } from "../harness/pods";
import { withoutWrites } from "../harness/preview";

const namespace = "fleet";
/** By name: how many members, and what of its own it says of changes. */
const fleet = {
  /** Has agreed to everything. */
  agreed: { replicas: 2, changePolicy: {} },
  shared: { replicas: 2, configFrom: { name: "tuning" } },
  silent: { replicas: 2 },
  single: { replicas: 1 },
} as const;
type Name = keyof typeof fleet;
const names = ["agreed", "shared", "silent", "single"] as const satisfies readonly Name[];
const placeOf = (name: Name): Place => [namespace, name];
const membersOf = (name: Name): readonly string[] =>
  Array.from({ length: fleet[name].replicas }, (_, ordinal) => `${name}-${ordinal}`);

const releasePolicy = { requireApproval: ["RollingRestart", "Switchover", "Downtime"] };

let platform: PlatformCluster;
let operator: OperatorProcess;
let users: PluginUsers;
let port: number;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  [port] = await freePorts();
  users = await pluginUsers(platform, namespace);
  await users.user("edit");
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  await startOperator();
  await platform.kubectl("wait", "--for=condition=Available", `apiservice/${previewApiService}`, "--timeout=60s");
  await platform.kubectl.apply(tuning({ work_mem: "8MB" }));
  for (const name of names) await platform.kubectl.apply(database(name, namespace, fleet[name]));
  for (const name of names) {
    await untilReady(platform.kubectl, placeOf(name), minutes(3));
    await untilBackedUp(platform.kubectl, placeOf(name), minutes(2));
    await untilCounted(platform.kubectl, placeOf(name));
  }
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await users.remove();
});

/** `program`: a compiled operator. Default: the one that the sources make. */
async function startOperator(program?: string): Promise<void> {
  operator = await startOperatorProcess({
    ...(program !== undefined && { program }),
    environment: {
      ...platform.operatorEnvironment,
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      DATABASE_OPERATOR_PREVIEW_API: "true",
      DATABASE_OPERATOR_APPROVALS: "true",
      DATABASE_OPERATOR_RESTARTS_AT_ONCE: "1",
      DATABASE_OPERATOR_RELEASE_POLICY: JSON.stringify(releasePolicy),
    },
  });
}

const tuning = (data: Readonly<Record<string, string>>): unknown => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning", namespace }, data },
});

interface Told {
  /** The effect and what it waits for, by name. */
  readonly told: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What `fleet` prints for a person who may edit the namespace. */
async function fleetOf(line = ""): Promise<Told> {
  const { out, err, code } = await users.plugin(`fleet ${line}`.trim(), { role: "edit" });
  assert.notEqual(code, 2, `${out}${err}`);
  const told = out.split("\n").flatMap((text) => {
    const [space, name = "", effect = "", , waits = ""] = text.split(/ {3,}/);
    return space === namespace ? [[name, `${effect} ${waits}`] as const] : [];
  });
  return { told: Object.fromEntries(told), text: out };
}

/** The same, and nothing was written meanwhile. */
const quietly = (line = ""): Promise<Told> =>
  withoutWrites(platform.kubectl, [namespace, "database-operator-system"], () => fleetOf(line));

async function inFile(name: string, value: unknown): Promise<string> {
  const file = join(users.directory, name);
  await writeFile(file, JSON.stringify(value));
  return file;
}

const membersNow = (): Promise<readonly ShownMember[]> =>
  Promise.all(names.flatMap(membersOf).map((name) => readMember(platform.kubectl, namespace, name)));

test("at rest nothing would change", async () => {
  const { told, text } = await quietly();
  assert.deepEqual(told, Object.fromEntries(names.map((name) => [name, "None –"])));
  assert.match(text, /^4 Databases: 0 interrupted, 0 wait, 4 notice nothing$/m);
});

test("another image in the catalogue is seen over all Databases before it is there, and then it is so", async () => {
  const next = { postgresql: { ...simulatedCatalogue.postgresql, "17.6": { image: "example.com/next:17.6" } } };
  const { told, text } = await quietly(`--catalogue ${await inFile("catalogue.json", next)}`);
  assert.deepEqual(Object.keys(told).sort(), [...names]);
  for (const name of names) assert.match(told[name] ?? "", /^(RollingRestart|Switchover|Downtime) –$/, name);
  assert.match(text, /^4 Databases: 4 interrupted, 0 wait, 0 notice nothing\nOne of those .* goes first/m);
  const none = { postgresql: { "17.7": simulatedCatalogue.postgresql["17.7"] } };
  const gone = await users.plugin(`fleet --catalogue ${await inFile("gone.json", none)}`, { role: "edit" });
  assert.match(gone.out, /NOT TOLD .* VersionUnavailable/);
  assert.equal(gone.code, 2);
});

test("a shared ConfigMap is seen over those that name it, by what it does to them", async () => {
  const file = await inFile("tuning.json", tuning({ work_mem: "8MB", max_connections: "150" }));
  const { told } = await quietly(`-f ${file}`);
  assert.deepEqual(Object.keys(told), ["shared"]);
  assert.match(told["shared"] ?? "", /^(RollingRestart|Switchover) –$/);
  const harmless = await quietly(`-f ${await inFile("harmless.json", tuning({ work_mem: "16MB" }))}`);
  assert.deepEqual(harmless.told, { shared: "Reload –" });
});

const Restarted = z.object({ msg: z.literal("member restarted"), database: z.string() });

/** Of which Database a member was restarted, in that order. */
const restartsIn = ({ log }: OperatorProcess): readonly string[] =>
  log.flatMap((line) => {
    const { data } = Restarted.safeParse(line);
    return data === undefined ? [] : [data.database.split("/")[1] ?? ""];
  });

test("a release restarts nothing that did not agree; what is approved restarts one Database after the other", async () => {
  const before = await membersNow();
  const release = await otherRelease();
  await operator.stop();
  await startOperator(release.program);
  const asking = ["shared", "silent", "single"] as const;
  const plans = new Map<Name, string>();
  for (const name of asking) plans.set(name, (await untilWaits(platform.kubectl, placeOf(name))).digest);
  await eventually(async () => {
    const { zoneWeights } = await readMember(platform.kubectl, namespace, "agreed-0");
    assert.notDeepEqual(zoneWeights, before[0]?.zoneWeights);
  }, minutes(2));
  await untilReady(platform.kubectl, placeOf("agreed"), minutes(2));
  assert.equal(await pendingOf(platform.kubectl, placeOf("agreed")), undefined);
  await eventually(async () => {
    const { told, text } = await fleetOf();
    for (const name of asking)
      assert.match(told[name] ?? "", /^(RollingRestart|Switchover|Downtime) approval \(/, name);
    assert.equal(told["agreed"], "None –");
    assert.match(text, /^4 Databases: 0 interrupted, 3 wait, 1 notice nothing$/m);
  }, minutes(1));
  const [, , ...others] = await membersNow();
  assert.deepEqual(others, before.slice(2), "no member of those that did not agree was restarted");
  assert.deepEqual([...new Set(restartsIn(operator))], ["agreed"]);
  for (const name of asking) await approve(placeOf(name), platform.kubectl, plans.get(name) ?? "");
  // while the release alone waits, all that the spec asks for is ready
  const isThrough = async (name: Name): Promise<void> => {
    assert.equal(await pendingOf(platform.kubectl, placeOf(name)), undefined);
  };
  for (const name of asking) {
    await eventually(() => isThrough(name), minutes(3));
    await untilReady(platform.kubectl, placeOf(name), minutes(3));
  }
  const restarts = restartsIn(operator);
  assert.equal(restarts.length, names.flatMap(membersOf).length);
  const turns = restarts.filter((name, index) => name !== restarts[index - 1]);
  assert.equal(turns.length, names.length, `one Database after the other: ${restarts.join(", ")}`);
  assert.notEqual(turns[1], "single", "one that has a member to stand in goes first");
  await release.forget();
});
