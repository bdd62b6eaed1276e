// State that is lost, spoilt, swapped or old, and operators that share it: a database never pays for what its operator forgot.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { eventually, minutes } from "../harness/eventually";
import { readSecret } from "../harness/kubectl";
import { sendSignal } from "../harness/signal";
import { proves } from "../judges/reliability/case";
import { state } from "../judges/reliability/cases/state";
import { Subject, takeReferences } from "./matrix";
import { assertSameObjects, operatorNamespace, pictureOf, stateOf, versionsOf } from "./picture";
import { findVictim, isRunning, processesIn } from "./processes";
import {
  deleteSecret,
  garbled,
  putBack,
  readState,
  spoilCheckpoint,
  stateSecret,
  truncated,
  withFlippedBit,
} from "./secrets";
import { stages } from "./stages";
import {
  ask,
  askForDeletion,
  askForMemory,
  assertSameData,
  make,
  untilMemory,
  untilNothingIsLeft,
  untilSettled,
} from "./shop";
import { openRig, overTheCli, type Rig } from "./rig";

let rig: Rig;
/** Versions of the objects of a Database that nothing happens to. */
let bystander: Readonly<Record<string, string>>;

before(async () => {
  rig = await openRig();
  await make(rig.kubectl, "bystander", { replicas: 2 });
  bystander = await versionsOf(rig.kubectl, "bystander");
});
after(() => rig.stop());

async function assertOthersUntouched(): Promise<void> {
  assert.deepEqual(await versionsOf(rig.kubectl, "bystander"), bystander);
}

/** The state is whole, holds these objects, and is not what the test put there. */
async function untilRemembered(namespace: string, ids: readonly string[], spoilt = ""): Promise<void> {
  await eventually(async () => {
    const kept = await readState(rig.kubectl, namespace);
    assert.notEqual(kept.data["checkpoint"], spoilt, "it was not noticed");
    const now = await stateOf(rig.kubectl, `${namespace}.shop`);
    assert.ok(now?.digest !== undefined);
    assert.deepEqual(now.ids, ids);
    assert.deepEqual([now.pendingOperations, now.twice], [0, []]);
  }, minutes(1));
}

const idsOf = async (namespace: string): Promise<readonly string[]> =>
  (await stateOf(rig.kubectl, `${namespace}.shop`))?.ids ?? [];

/** Spoils the state of the Database in that namespace, and returns what is stored then; empty where nothing is. */
type Spoil = (namespace: string) => Promise<string>;

/** Spoils the state of a converged Database, then at a change, then at the deletion. */
async function spoilThrice(t: TestContext, namespace: string, spoil: Spoil): Promise<void> {
  const then = await make(rig.kubectl, namespace);
  const ids = await idsOf(namespace);
  await t.test("converged", async () => {
    await untilRemembered(namespace, ids, await spoil(namespace));
    await untilSettled(rig.kubectl, namespace);
    const now = await pictureOf(rig.kubectl, namespace);
    assertSameData(now, then);
    assertSameObjects(now, then);
  });
  await spoilTwice(t, namespace, spoil);
}

/** Spoils the state of a Database at a change, then at the deletion. */
async function spoilTwice(t: TestContext, namespace: string, spoil: Spoil): Promise<void> {
  const then = await pictureOf(rig.kubectl, namespace);
  const ids = await idsOf(namespace);
  await t.test("together with a change", async () => {
    await spoil(namespace);
    await askForMemory(rig.kubectl, namespace, "16MB");
    await untilMemory(rig.kubectl, namespace, "16MB");
    await untilRemembered(namespace, ids);
    assertSameData(await pictureOf(rig.kubectl, namespace), then);
  });
  await t.test("together with the deletion", async () => {
    await spoil(namespace);
    await askForDeletion(rig.kubectl, namespace);
    await untilNothingIsLeft(rig.kubectl, namespace);
  });
  await assertOthersUntouched();
}

const spoilWith =
  (how: (stored: Buffer) => Buffer | Promise<Buffer>) =>
  (namespace: string): Promise<string> =>
    spoilCheckpoint(rig.kubectl, namespace, how);

proves(state.deleted, (t) =>
  spoilThrice(t, "deleted", async (namespace) => {
    await deleteSecret(rig.kubectl, stateSecret(namespace));
    return "";
  }),
);
proves(state.truncated, (t) => spoilThrice(t, "truncated", spoilWith(truncated)));
proves(state.flipped, (t) => spoilThrice(t, "flipped", spoilWith(withFlippedBit)));
proves(state.garbled, async (t) => {
  await make(rig.kubectl, "garbled");
  await spoilTwice(t, "garbled", spoilWith(garbled));
});
proves(state.swapped, (t) =>
  spoilThrice(t, "swapped", async (namespace) => {
    const { data } = await readState(rig.kubectl, "bystander");
    return spoilCheckpoint(rig.kubectl, namespace, () => Buffer.from(data["checkpoint"] ?? "", "base64"));
  }),
);

proves(state.older, async (t) => {
  const namespace = "older";
  const first = await make(rig.kubectl, namespace, { replicas: 1 });
  const old = await readState(rig.kubectl, namespace);
  const steps = [
    ["of another spec", { replicas: 2, config: { work_mem: "16MB" } }, "16MB"],
    ["of the same spec", { replicas: 1 }, "8MB"],
  ] as const;
  for (const [title, spec, memory] of steps) {
    await t.test(title, async () => {
      await ask(rig.kubectl, namespace, spec);
      await untilMemory(rig.kubectl, namespace, memory);
      const then = await pictureOf(rig.kubectl, namespace);
      const ids = await idsOf(namespace);
      await putBack(rig.kubectl, namespace, old);
      await untilRemembered(namespace, ids, old.data["checkpoint"]);
      await untilSettled(rig.kubectl, namespace);
      const now = await pictureOf(rig.kubectl, namespace);
      assertSameData(now, then);
      assertSameObjects(now, then);
      assert.deepEqual(now.secrets, first.secrets);
    });
  }
  await t.test("together with the deletion", async () => {
    await ask(rig.kubectl, namespace, { replicas: 2 });
    await untilSettled(rig.kubectl, namespace);
    await putBack(rig.kubectl, namespace, old);
    await askForDeletion(rig.kubectl, namespace);
    await untilNothingIsLeft(rig.kubectl, namespace);
  });
  await assertOthersUntouched();
});

proves(state.keyLost, async () => {
  const then = await make(rig.kubectl, "keyless");
  const ids = await idsOf("keyless");
  await deleteSecret(rig.kubectl, "database-operator-state-key");
  await rig.restart();
  await askForMemory(rig.kubectl, "keyless", "16MB");
  await untilMemory(rig.kubectl, "keyless", "16MB");
  await untilRemembered("keyless", ids);
  assertSameData(await pictureOf(rig.kubectl, "keyless"), then);
  await assertOthersUntouched();
});

proves(state.credentialsLost, async () => {
  const then = await make(rig.kubectl, "passwordless");
  await deleteSecret(rig.kubectl, "credentials.passwordless.shop");
  await askForMemory(rig.kubectl, "passwordless", "16MB");
  await untilMemory(rig.kubectl, "passwordless", "16MB");
  assertSameData(await pictureOf(rig.kubectl, "passwordless"), then);
  const { app } = await readSecret(rig.kubectl, "credentials.passwordless.shop", operatorNamespace);
  assert.equal((await readSecret(rig.kubectl, "shop-credentials", "passwordless"))["password"], app);
});

proves(state.twoOperators, async () => {
  const alone = await takeReferences(rig, "alone");
  rig.platform.witness.disregard("together", "two operators write its status, each as it sees it", [
    "conditions",
    "quiet",
  ]);
  const second = await rig.startAnother();
  try {
    // where one says that it is done, the other may still be on its way: what counts is how it ends
    const together = await Subject.make(rig, "together");
    for (const stage of stages) await together.follow(stage, alone[stage]);
    assert.ok((await isRunning(second.pid)) && (await isRunning(rig.operator.pid)));
  } finally {
    await second.stop();
  }
});

/** What is left of a run when its operator is gone: the CLI, and the provider that the CLI would take along. */
interface Orphans {
  readonly cli: number;
  readonly provider: number;
}

/** Stops CLI and provider at the provider's first write, kills the operator, and lets the write through. */
async function orphanRun(namespace: string): Promise<Orphans> {
  const hold = rig.proxy.hold({ writes: true, namespace, by: "provider" });
  await askForMemory(rig.kubectl, namespace, "16MB");
  await hold.held();
  const cli = findVictim(rig.operator.pid, "cli");
  const provider = findVictim(rig.operator.pid, "provider");
  assert.ok(cli !== undefined && provider !== undefined, "a provider writes that the operator does not have");
  // the CLI first: it ends, and its provider with it, once there is no process to report to
  for (const pid of [cli, provider]) sendSignal(pid, "SIGSTOP");
  await rig.operator.kill();
  hold.release();
  for (const pid of [cli, provider]) assert.ok(await isRunning(pid));
  return { cli, provider };
}

proves(state.orphanHere, async () => {
  // the resident Pulumi ends with its operator: test/cluster/resident.test.ts
  await rig.restart({ settings: overTheCli });
  const then = await make(rig.kubectl, "orphan-here");
  const { cli, provider } = await orphanRun("orphan-here");
  await rig.startSuccessor("here");
  for (const pid of [cli, provider]) assert.ok(!(await isRunning(pid)));
  await untilMemory(rig.kubectl, "orphan-here", "16MB");
  assertSameData(await pictureOf(rig.kubectl, "orphan-here"), then);
  await assertOthersUntouched();
});

proves(state.orphanElsewhere, async () => {
  await rig.restart({ settings: overTheCli });
  const then = await make(rig.kubectl, "orphan-elsewhere");
  const ids = await idsOf("orphan-elsewhere");
  const why = "what is left of a run continues, and is corrected";
  rig.platform.witness.disregard("orphan-elsewhere", why, ["quiet"]);
  const { workDirectory } = rig.operator;
  const { cli, provider } = await orphanRun("orphan-elsewhere");
  await rig.startSuccessor("elsewhere");
  await askForMemory(rig.kubectl, "orphan-elsewhere", "32MB");
  await untilMemory(rig.kubectl, "orphan-elsewhere", "32MB");
  await untilSettled(rig.kubectl, "orphan-elsewhere");
  // managedFields tell time to the second: two writes of ours within one look alike (ADR 7)
  await delay(1000 - (Date.now() % 1000));
  for (const pid of [provider, cli]) sendSignal(pid, "SIGCONT");
  // without its engine the plugin is idle: where no successor sees it, it ends with its container
  await eventually(async () => {
    const left = await processesIn(workDirectory);
    assert.deepEqual(
      left.filter((process) => !process.startsWith(`${provider} `)),
      [],
    );
  }, minutes(1));
  sendSignal(provider, "SIGKILL");
  await rm(workDirectory, { recursive: true, force: true });
  await untilSettled(rig.kubectl, "orphan-elsewhere");
  await untilRemembered("orphan-elsewhere", ids);
  await untilMemory(rig.kubectl, "orphan-elsewhere", "32MB");
  assertSameData(await pictureOf(rig.kubectl, "orphan-elsewhere"), then);
  await assertOthersUntouched();
});
