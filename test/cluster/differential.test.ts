// The resident Pulumi against the CLI, which is the reference: the same programs leave the same state, report the same
// events and preview the same changes, and each continues with the other's stacks.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { delimiter } from "node:path";
import test, { after, before } from "node:test";
import type { ResourceTransformation } from "@pulumi/pulumi";
import { z } from "zod";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { Database, type DatabaseArgs } from "../../components";
import { createAutomationRunner, type AutomationRunner } from "../../operator/stack/automation";
import { openPulumi } from "../../operator/stack/open";
import { workloadType } from "../../operator/checkpoint/checkpoint";
import { keptWorkload } from "../../operator/stack/program";
import type { Pulumi } from "../../operator/stack/pulumi";
import type { PreviewResult, StackResult } from "../../operator/domain/runner";
import { toolsOnPath } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { progressOn } from "../../tools/progress";
import { cases } from "../golden/cases";
import { kubectlFor, makeNamespace, type Kubectl } from "../harness/kubectl";
import { eventText, maskedState } from "../harness/masked-state";

const modes = ["cli", "resident"] as const;
type Mode = (typeof modes)[number];

let cluster: Cluster;
let kubectl: Kubectl;
/** What the engine reported of each implementation's runs since `told` was emptied. */
const told: Record<Mode, string[]> = { cli: [], resident: [] };
const runners = new Map<Mode, AutomationRunner<PulumiFn>>();

before(async () => {
  const progress = progressOn(process.stderr);
  const bin = await toolsOnPath({ progress });
  cluster = await startCluster({ nodes: "simulated", life: "parent", progress });
  process.env["PATH"] = [bin, process.env["PATH"] ?? ""].join(delimiter);
  process.env["KUBECONFIG"] = cluster.kubeconfig;
  kubectl = kubectlFor({ PATH: process.env["PATH"], KUBECONFIG: cluster.kubeconfig });
  for (const mode of modes) {
    const options = { mode, passphrase: "of the test", workDirectory: tmpdir(), log };
    const pulumi = recording(await openPulumi(options), told[mode]);
    const toPulumi = (program: PulumiFn): PulumiFn => program;
    runners.set(mode, createAutomationRunner({ ...options, pulumi, toPulumi, secretsOf: () => [] }));
  }
});

after(async () => {
  for (const runner of runners.values()) await runner.close();
  await cluster.stop();
});

const log = { info: () => undefined, warn: () => undefined };

/** Notes what the engine reports of each run. */
function recording(pulumi: Pulumi, events: string[]): Pulumi {
  return {
    isResident: pulumi.isResident,
    close: () => pulumi.close(),
    allowWritesUntil: (time) => {
      pulumi.allowWritesUntil(time);
    },
    open: async (plan) => {
      const session = await pulumi.open(plan);
      return {
        workspace: session.workspace,
        checkpoint: () => session.checkpoint(),
        close: () => session.close(),
        listen: (onEvent) =>
          session.listen((event) => {
            const text = eventText(event);
            if (text !== undefined) events.push(text);
            onEvent(event);
          }),
      };
    },
  };
}

function runnerOf(mode: Mode): AutomationRunner<PulumiFn> {
  const runner = runners.get(mode);
  assert(runner);
  return runner;
}

/** The default follows from the namespace, and each implementation has one of its own. */
const verify = { schedule: "30 4 * * 0" };

const base: DatabaseArgs = {
  ...{ ...cases["no-monitoring"], ...defined("smallest"), replicas: 2, storage: "1Gi" },
  backup: { verify },
};

function defined(name: string): DatabaseArgs {
  const found = cases[name];
  assert(found);
  return found;
}

const programOf =
  (args: DatabaseArgs): PulumiFn =>
  () => {
    new Database("shop", args, keptWorkload);
    return Promise.resolve({});
  };

const WithMetadata = z.looseObject({ metadata: z.looseObject({}) });

/** The same, but its StatefulSet has another name: of what Kubernetes cannot change in place, the only field that is not frozen. */
const ofAnotherName =
  (args: DatabaseArgs): PulumiFn =>
  () => {
    const renamed: ResourceTransformation = ({ type, props, opts }) => {
      if (type !== workloadType) return undefined;
      const { metadata, ...rest } = WithMetadata.parse(props);
      return { props: { ...rest, metadata: { ...metadata, name: "other" } }, opts };
    };
    new Database("shop", args, { transformations: [renamed, ...(keptWorkload.transformations ?? [])] });
    return Promise.resolve({});
  };

const refused = "a change that the API server refuses";

/** The changes that every stack goes through, in this order. */
const story: readonly (readonly [what: string, change: Partial<DatabaseArgs>])[] = [
  ["it is made", {}],
  ["nothing changes", {}],
  ["a parameter changes", { config: { work_mem: "16MB" } }],
  ["a member more", { replicas: 3 }],
  [refused, { backup: { schedule: "99 * * * *", verify } }],
  ["backups go", { backup: { enabled: false } }],
];

const stack = "team.shop";

interface Chapter {
  readonly result: StackResult;
  readonly preview: PreviewResult;
}

/** Previews the change, then applies it. */
async function go(mode: Mode, args: DatabaseArgs, checkpoint: string | undefined): Promise<Chapter> {
  return goOver(mode, programOf(args), checkpoint);
}

async function goOver(mode: Mode, program: PulumiFn, checkpoint: string | undefined): Promise<Chapter> {
  const preview = await runnerOf(mode).preview({ stack, program, checkpoint });
  const result = await runnerOf(mode).up({ stack, program, checkpoint });
  return { result, preview };
}

const stateOf = (result: StackResult): string | undefined =>
  result.kind === "corrupt" ? undefined : result.checkpoint;

/** What both must report alike. */
function accountOf({ result, preview }: Chapter, namespace: string): unknown {
  // how far a run came before it failed is chance
  if (result.kind !== "succeeded")
    return JSON.stringify([result.kind, result.problem, preview]).replaceAll(namespace, "PLACE");
  const text = JSON.stringify({ result: { ...result, checkpoint: undefined, workload: undefined }, preview });
  const state = stateOf(result);
  return {
    told: JSON.parse(text.replaceAll(namespace, "PLACE")) as unknown,
    state: state === undefined ? undefined : maskedState(state, namespace),
  };
}

function eventsOf(mode: Mode, namespace: string): string[] {
  const events = told[mode].splice(0).map((line) => line.replaceAll(namespace, "PLACE"));
  return events.sort();
}

test("the same program over both: results, states, events and previews are equal", { timeout: 300_000 }, async (t) => {
  const states: Record<Mode, string | undefined> = { cli: undefined, resident: undefined };
  const args: Record<Mode, DatabaseArgs> = {
    cli: { ...base, namespace: await makeNamespace(kubectl, "over-cli") },
    resident: { ...base, namespace: await makeNamespace(kubectl, "over-resident") },
  };
  for (const [what, change] of story) {
    await t.test(what, async () => {
      const chapters: Partial<Record<Mode, unknown>> = {};
      const events: Partial<Record<Mode, string[]>> = {};
      for (const mode of modes) {
        args[mode] = { ...args[mode], ...change };
        const chapter = await go(mode, args[mode], states[mode]);
        states[mode] = stateOf(chapter.result) ?? states[mode];
        chapters[mode] = accountOf(chapter, args[mode].namespace);
        events[mode] = eventsOf(mode, args[mode].namespace);
      }
      assert.deepEqual(chapters["resident"], chapters["cli"]);
      if (what !== refused) assert.deepEqual(events["resident"], events["cli"]);
    });
  }
  await t.test("it is destroyed", async () => {
    const left: Partial<Record<Mode, unknown>> = {};
    for (const mode of modes) {
      const preview = await runnerOf(mode).preview({ stack, program: undefined, checkpoint: states[mode] });
      const result = await runnerOf(mode).destroy({ stack, checkpoint: states[mode] });
      assert.equal(result.kind, "succeeded");
      left[mode] = accountOf({ result, preview }, args[mode].namespace);
    }
    assert.deepEqual(left["resident"], left["cli"]);
  });
});

for (const [first, second] of [
  ["cli", "resident"],
  ["resident", "cli"],
] as const) {
  test(`a stack of the ${first} Pulumi continues over the ${second}, and back`, { timeout: 180_000 }, async () => {
    const namespace = await makeNamespace(kubectl, `from-${first}`);
    const args = { ...base, namespace };
    const made = await go(first, args, undefined);
    assert.equal(made.result.kind, "succeeded");
    const seen = await runnerOf(second).preview({ stack, program: programOf(args), checkpoint: stateOf(made.result) });
    assert.equal(seen.kind, "succeeded");
    assert(
      seen.steps.every(({ operation }) => operation === "same"),
      "the other sees a change where there is none",
    );
    const changed = await go(second, { ...args, replicas: 3 }, stateOf(made.result));
    assert.equal(changed.result.kind, "succeeded");
    assert.equal(changed.result.changes.replaced, 0);
    const back = await go(first, { ...args, replicas: 3 }, stateOf(changed.result));
    assert.equal(back.result.kind, "succeeded");
    assert.deepEqual([back.result.changes.created, back.result.changes.updated], [0, 0]);
    const ended = await runnerOf(second).destroy({ stack, checkpoint: stateOf(back.result) });
    assert.equal(ended.kind, "succeeded");
    assert.deepEqual(await kubectl.names("statefulset", namespace), []);
  });
}

for (const mode of modes) {
  test(`the ${mode} Pulumi refuses to replace the members' StatefulSet, of a state of an earlier operator, too`, async () => {
    const namespace = await makeNamespace(kubectl, `replace-${mode}`);
    const args = { ...base, namespace, replicas: 1 };
    const made = stateOf(await runnerOf(mode).up({ stack, program: programOf(args), checkpoint: undefined })) ?? "";
    const uids = async (): Promise<unknown[]> =>
      (await kubectl.list("statefulset", { namespace })).map(({ metadata }) => metadata.uid);
    const before = await uids();
    const earlier = made.replaceAll(/"protect":\s*true,?/g, "");
    assert.notEqual(earlier, made);
    const { preview, result } = await goOver(mode, ofAnotherName(args), earlier);
    assert.deepEqual(preview.kind === "succeeded" && preview.harmful.map(({ kind, name }) => `${kind} ${name}`), [
      "StatefulSet shop",
    ]);
    assert.equal(result.kind, "refused");
    assert.equal(result.problem.resource, "StatefulSet shop");
    assert.match(result.problem.message, /would stop all members at once/);
    assert.deepEqual([before.length, await uids()], [1, before]);
    const ended = await runnerOf(mode).destroy({ stack, checkpoint: stateOf(result) });
    assert.equal(ended.kind, "succeeded", "what is refused to a change is not refused to a deletion");
    assert.deepEqual(await kubectl.names("statefulset", namespace), []);
  });
}

test("a state that cannot be used is corrupt to both: another key, damaged ciphertext, no checkpoint", async () => {
  const namespace = await makeNamespace(kubectl, "corrupt");
  const program = programOf({ ...base, namespace, replicas: 1 });
  const made = await runnerOf("cli").up({ stack, program, checkpoint: undefined });
  const state = stateOf(made) ?? "";
  const damaged = {
    "another key": state.replace(/"salt":"v1:[^:]+/, '"salt":"v1:AAAAAAAAAAA='),
    "damaged ciphertext": state.replace(/("ciphertext":"v1:[^:]+:)..../, "$1AAAA"),
    "no checkpoint": state.slice(0, 200),
  };
  for (const [how, checkpoint] of Object.entries(damaged)) {
    assert.notEqual(checkpoint, state, how);
    for (const mode of modes) {
      assert.equal((await runnerOf(mode).up({ stack, program, checkpoint })).kind, "corrupt", `${how}, ${mode}`);
    }
  }
});
