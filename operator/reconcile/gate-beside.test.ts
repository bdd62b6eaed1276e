// What does not wait with a release of the operator: images, shared ConfigMaps and edits by which nothing waits.
import assert from "node:assert/strict";
import test from "node:test";
import { annotate, approval, drifts, edit, failing, through, turn } from "../../test/fakes/asked-change";
import { kept, stateOf } from "../../test/fakes/checkpoints";
import { observedFrom } from "../../test/fakes/observed";
import type { FakeCluster } from "../../test/fakes/ports";
import { approves, meeting, mustWait, under } from "../../test/fakes/released";
import { ChangePolicy } from "../api/change-policy";
import type { Desired } from "../domain/desired";
import type { StackResult } from "../domain/runner";

const limitIn = ({ config }: Desired): string => config["max_connections"] ?? "100";

/** By which each release declares members. */
const declared =
  (command: string) =>
  (desired: Desired): object => ({
    metadata: {},
    spec: { containers: [{ name: "server", image: desired.image, command: [command], limit: limitIn(desired) }] },
  });
const [former, present] = [declared("server"), declared("tini server")];

/** A run that leaves the template that it was handed, or the one that its release declares. */
function leaving(cluster: FakeCluster, declares = former): (result: () => StackResult) => StackResult {
  return (result) => {
    const { desired, memberTemplate = declares(desired) } = cluster.ups.at(-1)?.program ?? assert.fail();
    return { ...result(), checkpoint: stateOf(memberTemplate) } as StackResult;
  };
}

/** One whose members were declared by release-1, and for which release-2 waits. */
async function waiting(releases = approves): Promise<FakeCluster> {
  const cluster = await meeting({}, releases);
  cluster.foresight.template = present;
  const { stacks } = cluster.ports;
  const up = stacks.up.bind(stacks);
  stacks.up = async (request) => {
    const result = await up(request);
    return leaving(cluster)(() => result);
  };
  edit(cluster, { config: { max_connections: "150" } });
  assert.equal((await turn(cluster)).kind, "settled");
  mustWait(await under(cluster));
  assert.equal(cluster.ups.length, 2);
  return cluster;
}

const shownOf = async (cluster: FakeCluster): Promise<readonly string[] | undefined> =>
  mustWait(await under(cluster)).pending?.shown?.changes.map(({ path }) => path);
const templateNow = (cluster: FakeCluster): unknown => cluster.ups.at(-1)?.program.memberTemplate;
const desiredNow = (cluster: FakeCluster): Desired => cluster.ups.at(-1)?.program.desired ?? assert.fail();

test("another image of the catalogue is carried out, and nothing of the release is", async () => {
  const cluster = await waiting();
  cluster.catalogue = { postgresql: { "17.6": { image: "postgresql:17.6-r2" } } };
  assert.deepEqual(await shownOf(cluster), ["operator"]);
  assert.deepEqual([cluster.ups.length, desiredNow(cluster).image], [3, "postgresql:17.6-r2"]);
  assert.deepEqual(templateNow(cluster), former(desiredNow(cluster)));
  const { release, formedBy, history = [] } = cluster.record ?? {};
  assert.deepEqual([release, formedBy, history[0]?.byPlatform], ["release-1", "release-2", true]);
  assert.deepEqual(
    [history[0]?.told?.origin, history[0]?.told?.changes.map(({ path }) => path)],
    ["Platform", ["image"]],
  );
  await under(cluster);
  drifts(cluster);
  await under(cluster);
  assert.deepEqual([cluster.ups.length, desiredNow(cluster).image], [4, "postgresql:17.6-r2"], "and it is kept up");
  assert.deepEqual(templateNow(cluster), former(desiredNow(cluster)));
});

test("a shared ConfigMap, and an edit, are carried out; what waits then is the release alone", async () => {
  const cluster = await waiting();
  cluster.configMaps.set("team/tuning", { max_connections: "200" });
  edit(cluster, { configFrom: { name: "tuning" } });
  assert.deepEqual(await shownOf(cluster), ["operator"]);
  assert.deepEqual([limitIn(desiredNow(cluster)), templateNow(cluster)], ["200", former(desiredNow(cluster))]);
  assert.equal(cluster.record?.history[0]?.byPlatform, undefined, "it is the edit's");
  cluster.configMaps.set("team/tuning", { max_connections: "250" });
  await under(cluster);
  assert.deepEqual([limitIn(desiredNow(cluster)), templateNow(cluster)], ["250", former(desiredNow(cluster))]);
  annotate(cluster, approval("plan-1"));
  assert.equal((await under(cluster)).kind, "settled");
  assert.deepEqual([templateNow(cluster), cluster.record?.release], [undefined, "release-2"]);
});

test("one that fails is tried again; taken back, it leaves nothing in members", async () => {
  const cluster = await waiting();
  cluster.results = [failing(), through(), failing(), through()];
  edit(cluster, { config: { max_connections: "200" } });
  assert.equal((await under(cluster)).kind, "failed");
  assert.deepEqual(await shownOf(cluster), ["operator"]);
  assert.deepEqual([cluster.ups.length, templateNow(cluster)], [4, former(desiredNow(cluster))]);
  edit(cluster, { config: { max_connections: "300" } });
  assert.equal((await under(cluster)).kind, "failed");
  edit(cluster, { config: { max_connections: "200" } });
  await under(cluster);
  assert.deepEqual([cluster.ups.length, limitIn(desiredNow(cluster))], [6, "200"]);
  assert.deepEqual(templateNow(cluster), former(desiredNow(cluster)));
  assert.equal(cluster.record?.whole, undefined);
});

test("what cannot be told apart from the release waits with it, and so does what a policy may hold back", async () => {
  const cluster = await waiting();
  edit(cluster, { config: { max_connections: "200" } });
  cluster.foresight.template = (desired) => ({
    spec: { containers: [{ name: "server", command: [limitIn(desired)] }] },
  });
  assert.deepEqual(await shownOf(cluster), ["operator", "spec.config.max_connections"]);
  const { message } = mustWait(await under(cluster));
  assert.match(message, /; it waits with the operator's release \S+: both change the same of the members' pods; /);
  const held = await waiting();
  held.foresight.settings.policy = ChangePolicy.parse({ requireApproval: ["DataLoss"] });
  edit(held, { config: { max_connections: "200" } });
  assert.deepEqual(await shownOf(held), ["operator", "spec.config.max_connections"]);
  assert.deepEqual([cluster.ups.length, held.ups.length], [2, 2]);
});

test("a change that failed under the former release is finished without the next one", async () => {
  const cluster = await waiting();
  cluster.results = [failing(), through()];
  edit(cluster, { config: { max_connections: "200" } });
  assert.equal((await turn(cluster)).kind, "failed");
  assert.deepEqual(await shownOf(cluster), ["operator"]);
  assert.deepEqual([limitIn(desiredNow(cluster)), templateNow(cluster)], ["200", former(desiredNow(cluster))]);
  assert.deepEqual([cluster.record?.release, cluster.record?.whole], ["release-1", undefined]);
});

test("where the state cannot be read, nothing brings the release, and that is said", async () => {
  const cluster = await waiting();
  assert.ok(cluster.record?.checkpoint !== undefined);
  cluster.record = {
    ...cluster.record,
    checkpoint: { ...cluster.record.checkpoint, marks: undefined, text: () => "" },
  };
  const { meanwhile } = mustWait(await under(cluster));
  assert.ok(meanwhile?.kind === "failed" && meanwhile.reason === "StateCorrupt", JSON.stringify(meanwhile));
  assert.equal(cluster.ups.length, 2);
});

test("a repair meanwhile leaves what pods of the former template name, and so does the look after it", async () => {
  const cluster = await waiting();
  const { checkpoint } = cluster.record ?? {};
  assert.ok(checkpoint !== undefined && cluster.record !== undefined);
  const volumes = [{ name: "a", configMap: { name: "shop-old" } }];
  const template = { metadata: {}, spec: { containers: [], volumes } };
  cluster.record = { ...cluster.record, checkpoint: kept(stateOf(template, "ConfigMap shop-old")) };
  drifts(cluster);
  await under(cluster);
  assert.match(cluster.ups.at(-1)?.checkpoint ?? "", /"id":"team\/shop-old"[^}]*\}[^}]*\},"retainOnDelete":true/);
  cluster.observed = observedFrom(stateOf(template, "ConfigMap shop-old"));
  cluster.inspection = { drift: [], conflicts: [], terminating: [] };
  cluster.ours = ["ConfigMap shop-old"];
  await under(cluster);
  assert.deepEqual([cluster.ups.length, cluster.removed], [3, []], "it is no left-over yet");
});
