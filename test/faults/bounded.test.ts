// What an operator uses stays within bounds: over many changes, and with a run that never ends.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before } from "node:test";
import { z } from "zod";
import { readDatabase } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { sendSignal } from "../harness/signal";
import { proves } from "../judges/reliability/case";
import { bounded } from "../judges/reliability/cases/bounded";
import { pictureOf, stateOf } from "./picture";
import { findVictim, isRunning, memoryOf, openDescriptors, processesIn } from "./processes";
import { readState } from "./secrets";
import { ask, askForMemory, assertSameData, make, untilMemory, untilSettled } from "./shop";
import { openRig, overTheCli, type Rig } from "./rig";

const changes = process.env["FAULTS"] === "all" ? 500 : 30;
const maxRevisions = 20;

let rig: Rig;

before(async () => {
  rig = await openRig();
});
after(() => rig.stop());

/** What the operator uses at one moment. */
interface Usage {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly files: number;
  readonly stateBytes: number;
  readonly logLines: number;
}

async function usageOf(namespace: string): Promise<Usage> {
  const { pid, workDirectory, log } = rig.operator;
  return {
    megabytes: await memoryOf(pid),
    descriptors: await openDescriptors(pid),
    files: (await readdir(workDirectory)).length + (await readdir(`${workDirectory}.tmp`)).length,
    stateBytes: (await stateOf(rig.kubectl, `${namespace}.shop`))?.size ?? 0,
    logLines: log.length,
  };
}

async function change(namespace: string, count: number): Promise<void> {
  await askForMemory(rig.kubectl, namespace, `${count + 10}MB`);
  await eventually(
    async () => {
      const { status, metadata } = await readDatabase(rig.kubectl, "shop", namespace);
      assert.equal(status.observedGeneration, metadata.generation);
      assert.equal(status.conditions.find(({ type }) => type === "Reconciling")?.reason, "Reconciled");
    },
    { withinMs: 120_000, everyMs: 50 },
  );
}

proves(bounded.changes, async () => {
  // with all the machine's memory the collector would let garbage lie, and the process's size would show nothing
  await rig.restart({ settings: { NODE_OPTIONS: "--max-old-space-size=320" } });
  const then = await make(rig.kubectl, "changes");
  const first = await usageOf("changes");
  const third = Math.floor(changes / 3);
  for (let count = 1; count <= third; count++) await change("changes", count);
  const early = await usageOf("changes");
  for (let count = third + 1; count <= changes; count++) await change("changes", count);
  const late = await usageOf("changes");
  console.log(`after 0, ${third} and ${changes} changes: ${JSON.stringify([first, early, late])}`);
  await untilMemory(rig.kubectl, "changes", `${changes + 10}MB`);

  assert.ok(late.megabytes < early.megabytes + 48, `${early.megabytes} MiB, then ${late.megabytes} MiB`);
  assert.ok(late.descriptors <= early.descriptors + 8, `${early.descriptors} descriptors, then ${late.descriptors}`);
  assert.deepEqual([late.files, early.files], [first.files, first.files]);
  const history = z.array(z.unknown()).parse(JSON.parse(historyText(await readState(rig.kubectl, "changes"))));
  assert.equal(history.length, Math.min(maxRevisions, changes + 1));
  assert.ok(late.stateBytes < first.stateBytes + maxRevisions * 1024, `the state has ${late.stateBytes} bytes`);
  const perChange = [(early.logLines - first.logLines) / third, (late.logLines - early.logLines) / (changes - third)];
  assert.ok((perChange[1] ?? 0) <= (perChange[0] ?? 0) * 1.25, `${perChange.join(", then ")} lines per change`);
  assertSameData(await pictureOf(rig.kubectl, "changes"), then);
});

const historyText = ({ data }: { data: Record<string, string> }): string =>
  Buffer.from(data["history"] ?? "", "base64").toString("utf8");

/** Has the API server not answer a run of `namespace`: the run hangs. */
async function hang(namespace: string, meanwhile: () => void = () => undefined): Promise<void> {
  const then = await make(rig.kubectl, namespace);
  const { workDirectory, log } = rig.operator;
  const before = [programsOf(await processesIn(workDirectory)), await readdir(workDirectory)];
  const hold = rig.proxy.hold({ writes: true, by: "provider", namespace });
  await askForMemory(rig.kubectl, namespace, "16MB");
  await hold.held();
  meanwhile();
  const other = `${namespace}-other`;
  await makeNamespace(rig.kubectl, other);
  await ask(rig.kubectl, other);
  await untilSettled(rig.kubectl, other);
  await eventually(() => {
    const isEnded = log.some((line) => line["database"] === `${namespace}/shop` && line["result"] === "timedOut");
    assert.ok(isEnded, "the run was not ended");
  }, minutes(2));
  hold.release();
  await untilMemory(rig.kubectl, namespace, "16MB");
  await eventually(async () => {
    assert.deepEqual([programsOf(await processesIn(workDirectory)), await readdir(workDirectory)], before);
  }, minutes(1));
  assertSameData(await pictureOf(rig.kubectl, namespace), then);
}

const programsOf = (processes: readonly string[]): string[] =>
  processes.map((process) => process.replace(/^\d+ /, "")).sort();

proves(bounded.hang, async (t) => {
  const deadline = { DATABASE_OPERATOR_RUN_DEADLINE_SECONDS: "20" };
  await t.test("in the resident Pulumi", async () => {
    await rig.restart({ settings: deadline });
    await hang("hang");
  });
  await t.test("over the CLI, with a provider that does not end by itself", async () => {
    await rig.restart({ settings: { ...deadline, ...overTheCli } });
    let provider: number | undefined;
    await hang("hang-cli", () => {
      provider = findVictim(rig.operator.pid, "provider");
      assert.ok(provider !== undefined, "a provider writes that the operator does not have");
      sendSignal(provider, "SIGSTOP");
    });
    assert.ok(provider !== undefined && !(await isRunning(provider)));
  });
});
