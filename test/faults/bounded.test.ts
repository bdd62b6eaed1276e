// What an operator uses stays within bounds: over many changes, and with a run that never ends.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before } from "node:test";
import { z } from "zod";
import { readDatabase } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { sendSignal } from "../harness/signal";
import { proves } from "../reliability/case";
import { bounded } from "../reliability/cases/bounded";
import { pictureOf, stateOf } from "./picture";
import { isRunning, memoryOf, openDescriptors, processesIn, untilRuns } from "./processes";
import { readState } from "./secrets";
import { ask, askForMemory, assertSameData, make, untilMemory, untilStanding } from "./standing";
import { openStand, type Stand } from "./stand";

const changes = process.env["FAULTS"] === "all" ? 500 : 30;
const mostRevisions = 20;

let stand: Stand;

before(async () => {
  stand = await openStand();
});
after(() => stand.stop());

/** What the operator uses at one moment. */
interface Usage {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly files: number;
  readonly stateBytes: number;
  readonly logLines: number;
}

async function usageOf(namespace: string): Promise<Usage> {
  const { pid, workDirectory, log } = stand.operator;
  return {
    megabytes: await memoryOf(pid),
    descriptors: await openDescriptors(pid),
    files: (await readdir(workDirectory)).length + (await readdir(`${workDirectory}.tmp`)).length,
    stateBytes: (await stateOf(stand.kubectl, `${namespace}.shop`))?.size ?? 0,
    logLines: log.length,
  };
}

async function change(namespace: string, count: number): Promise<void> {
  await askForMemory(stand.kubectl, namespace, `${count + 10}MB`);
  await eventually(
    async () => {
      const { status, metadata } = await readDatabase(stand.kubectl, "shop", namespace);
      assert.equal(status.observedGeneration, metadata.generation);
      assert.equal(status.conditions.find(({ type }) => type === "Reconciling")?.reason, "Reconciled");
    },
    { withinMs: 120_000, everyMs: 50 },
  );
}

proves(bounded.changes, async () => {
  // with all the machine's memory the collector would let garbage lie, and nothing could be told from the process's size
  await stand.restart({ settings: { NODE_OPTIONS: "--max-old-space-size=320" } });
  const then = await make(stand.kubectl, "changes");
  const first = await usageOf("changes");
  const third = Math.floor(changes / 3);
  for (let count = 1; count <= third; count++) await change("changes", count);
  const early = await usageOf("changes");
  for (let count = third + 1; count <= changes; count++) await change("changes", count);
  const late = await usageOf("changes");
  console.log(`after 0, ${third} and ${changes} changes: ${JSON.stringify([first, early, late])}`);
  await untilMemory(stand.kubectl, "changes", `${changes + 10}MB`);

  assert.ok(late.megabytes < early.megabytes + 48, `${early.megabytes} MiB, then ${late.megabytes} MiB`);
  assert.ok(late.descriptors <= early.descriptors + 8, `${early.descriptors} descriptors, then ${late.descriptors}`);
  assert.deepEqual([late.files, early.files], [first.files, first.files]);
  const history = z.array(z.unknown()).parse(JSON.parse(historyText(await readState(stand.kubectl, "changes"))));
  assert.equal(history.length, Math.min(mostRevisions, changes + 1));
  assert.ok(late.stateBytes < first.stateBytes + mostRevisions * 1024, `the state has ${late.stateBytes} bytes`);
  const perChange = [(early.logLines - first.logLines) / third, (late.logLines - early.logLines) / (changes - third)];
  assert.ok((perChange[1] ?? 0) <= (perChange[0] ?? 0) * 1.25, `${perChange.join(", then ")} lines per change`);
  assertSameData(await pictureOf(stand.kubectl, "changes"), then);
});

const historyText = ({ data }: { data: Record<string, string> }): string =>
  Buffer.from(data["history"] ?? "", "base64").toString("utf8");

proves(bounded.hang, async () => {
  await stand.restart({ settings: { DATABASE_OPERATOR_RUN_DEADLINE_SECONDS: "45" } });
  const then = await make(stand.kubectl, "hang");
  await askForMemory(stand.kubectl, "hang", "16MB");
  const { pid, workDirectory } = stand.operator;
  const provider = await untilRuns(pid, "provider");
  sendSignal(provider, "SIGSTOP");
  await makeNamespace(stand.kubectl, "hang-other");
  await ask(stand.kubectl, "hang-other");
  await untilStanding(stand.kubectl, "hang-other");
  assert.ok(await isRunning(provider), "the run did not hang for long enough to tell");
  await eventually(async () => {
    assert.ok(!(await isRunning(provider)));
    const ended = stand.operator.log.filter(
      (line) => line["database"] === "hang/shop" && line["result"] === "timedOut",
    );
    assert.ok(ended.length > 0);
  }, minutes(2));
  await untilMemory(stand.kubectl, "hang", "16MB");
  await eventually(async () => {
    assert.deepEqual(await processesIn(workDirectory), []);
    assert.deepEqual(await readdir(workDirectory), []);
  });
  assertSameData(await pictureOf(stand.kubectl, "hang"), then);
});
