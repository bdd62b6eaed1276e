// One change, asked of each that tells what it would do: `make preview`, the plugin, the warnings of a dry run, and the operator that lets it
// wait. They say the same effect, members and objects, for each effect and engine, also while a release of the operator waits. A real API server
// and provider; nodes are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { namedEffects, type Effect } from "../../contract/effects";
import { previewApiService } from "../../contract/resources";
import type { Engine } from "../../operator/api/spec";
import { freePorts } from "../../tools/host/ports";
import { editedCatalogue } from "../edits/simulated";
import { pendingOf, untilWaits, type Place } from "../harness/approvals";
import { untilCounted } from "../harness/at-rest";
import { database, messageOf, readDatabase, untilBackedUp, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { otherRelease } from "../harness/other-release";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { pluginUsers, type PluginUsers } from "../harness/plugin";
import { readMember } from "../harness/pods";
import { agreed, effectsIn, untilWaitsAs, type Foretold } from "../harness/tellers";

const namespace = "agree";
/** Whatever is noticed waits, so that nothing of it is carried out. */
const changePolicy = { requireApproval: [...namedEffects] };
const of = (engine: Engine, version: string, replicas: number, more: object = {}) =>
  ({ engine, version, replicas, backup: { retention: 7 }, changePolicy, ...more }) as const;
const databases = {
  orders: of("postgresql", "17.6", 3, { superuserAccess: "Network" }),
  catalog: of("mysql", "9.6", 3, { superuserAccess: "Network" }),
  pair: of("mysql", "9.6", 2),
  profiles: of("mongodb", "7.6", 3),
  single: of("postgresql", "17.6", 1),
  /** Its members are of another release of the operator, which asks before it restarts them. */
  plain: { engine: "postgresql", version: "17.6", replicas: 2, backup: { retention: 7 } },
} as const satisfies Readonly<Record<string, { readonly engine: Engine } & Record<string, unknown>>>;
type Name = keyof typeof databases;
const held = ["orders", "catalog", "pair", "profiles", "single"] as const satisfies readonly Name[];
const placeOf = (name: Name): Place => [namespace, name];
const releasePolicy = { requireApproval: ["RollingRestart", "Switchover", "Downtime"] };

/** The weightiest effect, and that of each member, from the first to the last. */
type Row = readonly [of: Name, what: string, change: object, effect: Effect, members: readonly Effect[]];

const three = (effect: Effect): readonly Effect[] => [effect, effect, effect];
const handedOver = ["Switchover", "RollingRestart", "RollingRestart"] as const;
const rows: readonly Row[] = [
  ["orders", "a schedule", { backup: { retention: 7, schedule: "0 3 * * *" } }, "None", three("None")],
  ["catalog", "the superuser", { superuserAccess: "Local" }, "None", three("None")],
  ["orders", "the superuser", { superuserAccess: "Local" }, "Reload", three("Reload")],
  ["orders", "a parameter", { config: { work_mem: "8MB" } }, "Reload", three("Reload")],
  ["catalog", "a parameter", { config: { max_connections: "200" } }, "Reload", three("Reload")],
  ["profiles", "a parameter", { config: { cursorTimeoutMillis: "300000" } }, "Reload", three("Reload")],
  ["orders", "no backups", { backup: { retention: 7, enabled: false } }, "Exposure", three("None")],
  ["orders", "a member less", { replicas: 2 }, "Removal", ["None", "None", "Removal"]],
  ["profiles", "two members less", { replicas: 1 }, "Removal", ["None", "Removal", "Removal"]],
  ["orders", "another image", { version: "17.7" }, "Switchover", handedOver],
  ["catalog", "another image", { version: "9.7" }, "Switchover", handedOver],
  ["profiles", "another image", { version: "7.7" }, "Switchover", handedOver],
  ["pair", "another image", { version: "9.7" }, "Switchover", ["Switchover", "RollingRestart"]],
  ["single", "another image", { version: "17.7" }, "Downtime", ["Downtime"]],
  ["orders", "fewer backups", { backup: { retention: 3 } }, "DataLoss", three("None")],
];

let platform: PlatformCluster;
let operator: OperatorProcess;
let users: PluginUsers;
let port: number;
/** Those of a checkout, with the policies that its operator would have. */
let tellers: Parameters<typeof agreed>[1];

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: editedCatalogue });
  [port] = await freePorts();
  users = await pluginUsers(platform, namespace);
  await users.user("edit");
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: 30 });
  const former = await otherRelease();
  await startOperator(former.program);
  await atRest("plain");
  await operator.stop();
  await former.forget();
  await startOperator();
  await platform.kubectl("wait", "--for=condition=Available", `apiservice/${previewApiService}`, "--timeout=60s");
  tellers = { ...platform, environment: { ...platform.environment, ...policies }, users };
  for (const name of held) await platform.kubectl.apply(asIs(name));
  for (const name of held) await atRest(name);
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await users.remove();
});

const policies = { DATABASE_OPERATOR_RELEASE_POLICY: JSON.stringify(releasePolicy) };

/** `program`: a compiled operator. Default: the one that the sources make. */
async function startOperator(program?: string): Promise<void> {
  operator = await startOperatorProcess({
    ...(program !== undefined && { program }),
    environment: {
      ...{ ...platform.operatorEnvironment, ...policies },
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      // how fast a busy machine is, is not the question
      DATABASE_OPERATOR_WARNINGS_SECONDS: "25",
      DATABASE_OPERATOR_PREVIEW_API: "true",
      DATABASE_OPERATOR_APPROVALS: "true",
    },
  });
}

const changed = (name: Name, change: object): unknown => database(name, namespace, { ...databases[name], ...change });
const asIs = (name: Name): unknown => changed(name, {});

async function atRest(name: Name): Promise<void> {
  await platform.kubectl.apply(asIs(name));
  await untilReady(platform.kubectl, placeOf(name), minutes(3));
  await untilBackedUp(platform.kubectl, placeOf(name), minutes(2));
  await untilCounted(platform.kubectl, placeOf(name));
}

/** Writes it, sees it wait as was foretold, and takes it back. */
async function waitsAs(name: Name, change: object, said: Foretold): Promise<readonly string[]> {
  await platform.kubectl.apply(changed(name, change));
  return untilWaitsAs(placeOf(name), said, tellers);
}

/** That what waits are the fields that were previewed; of a map a preview names the whole where there was none, and an image comes with its version. */
function assertSameFields(waiting: readonly string[], { spec }: Foretold): void {
  const fields = waiting.filter((path) => path !== "image" && path !== "operator");
  const isIn = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`);
  assert.deepEqual(
    [...new Set(fields.map((path) => spec.find((one) => isIn(path, one.path))?.path ?? path))].toSorted(),
    spec.map(({ path }) => path).toSorted(),
  );
}

for (const [name, what, change, effect, members] of rows)
  test(`${databases[name].engine}, ${name}, ${what}: all say ${effect}`, async () => {
    const said = await agreed(changed(name, change), tellers);
    assert.deepEqual([said.effect, effectsIn(said)], [effect, members]);
    assert.equal(said.waits !== undefined, effect !== "None");
    if (effect === "None") return;
    assertSameFields(await waitsAs(name, change, said), said);
    await platform.kubectl.apply(asIs(name));
    await untilCondition(platform.kubectl, placeOf(name), { type: "ChangePending", status: "False" }, minutes(1));
    assert.equal(await pendingOf(platform.kubectl, placeOf(name)), undefined);
  });

test("while a release waits all say what is carried out beside it, and it is; what keeps waiting is the release", async () => {
  const place = placeOf("plain");
  await untilWaits(platform.kubectl, place);
  const members = (): Promise<readonly unknown[]> =>
    Promise.all(["plain-0", "plain-1"].map((member) => readMember(platform.kubectl, namespace, member)));
  const pods = await members();
  const change = { config: { work_mem: "8MB" } };
  const said = await agreed(changed("plain", change), tellers);
  assert.deepEqual([said.effect, effectsIn(said), said.waits], ["Reload", ["Reload", "Reload"], undefined]);
  assert.match(said.notes.join(), /^beside it the operator's release \S+ keeps waiting for approval \(.*Switchover\)$/);
  const { release } = said;
  assert.ok(release !== undefined);
  await platform.kubectl.apply(changed("plain", change));
  await eventually(async () => {
    const { metadata, status } = await readDatabase(platform.kubectl, "plain", namespace);
    assert.equal(status.observedGeneration, metadata.generation);
    assert.deepEqual(await untilWaitsAs(place, release, tellers), ["operator"]);
  }, minutes(2));
  assert.deepEqual(await members(), pods, "no member restarted for the release");
});

test("an edit that cannot be told apart from a release waits with it, and all say so and why", async () => {
  const placement = { antiAffinity: { type: "Preferred", topologyKey: "rack" } };
  const change = { config: { work_mem: "8MB" }, placement };
  const said = await agreed(changed("plain", change), tellers);
  assert.deepEqual([said.effect, said.release], ["Switchover", undefined]);
  const why = /^it waits with the operator's release \S+: both change the same of the members' pods$/;
  assert.match(said.notes.join(), why);
  const waiting = await waitsAs("plain", change, said);
  assert.ok(waiting.includes("operator"), waiting.join());
  assertSameFields(waiting, said);
  const shown = await readDatabase(platform.kubectl, "plain", namespace);
  assert.ok(messageOf(shown, "ChangePending").includes(said.notes.join()));
});

/** No CronJob of that Database is changed, which a dry run does not tell: a run that would do so fails. */
const refusal = [
  {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" },
    metadata: { name: "no-schedule" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [{ apiGroups: ["batch"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["cronjobs"] }],
      },
      validations: [
        {
          expression: "object.metadata.name != 'single-backup' || (has(request.dryRun) && request.dryRun)",
          message: "it stays as it is",
        },
      ],
    },
  },
  {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicyBinding" },
    metadata: { name: "no-schedule" },
    spec: { policyName: "no-schedule", validationActions: ["Deny"] },
  },
];

test("after a change that failed half way all say that the next one cannot be told", async () => {
  for (const object of refusal) await platform.kubectl.apply(object);
  const probe = ["annotate", "cronjob", "single-backup", "-n", namespace, "probe=1", "--overwrite"];
  await eventually(() => assert.rejects(platform.kubectl(...probe), /it stays as it is/), minutes(1));
  const schedule = { backup: { retention: 7, schedule: "0 3 * * *" } };
  await platform.kubectl.apply(changed("single", schedule));
  await eventually(() => {
    assert.ok(operator.log.some(({ msg }) => msg === "stack run did not succeed"));
  }, minutes(1));
  const next = { ...schedule, version: "17.7" };
  const said = await agreed(changed("single", next), tellers);
  assert.equal(said.effect, "CannotBeTold");
  await waitsAs("single", next, said);
  await platform.kubectl("delete", "validatingadmissionpolicybinding,validatingadmissionpolicy", "no-schedule");
  await atRest("single");
});
