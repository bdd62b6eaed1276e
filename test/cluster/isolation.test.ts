// Inline programs share one process: what one of them does wrong, the others do not notice, and nothing of it stays.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import test, { after, before } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ComponentResource, output } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { z } from "zod";
import { createAutomationRunner, type AutomationRunner } from "../../operator/stack/automation";
import { openPulumi } from "../../operator/stack/open";
import type { StackResult } from "../../operator/domain/runner";
import { toolsOnPath } from "../../tools/build/build";
import { progressOn } from "../../tools/progress";

const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A program that needs no provider: components are Pulumi's own. */
const good =
  (name: string, milliseconds = 0): PulumiFn =>
  async () => {
    const parent = new ComponentResource("databases:test:Good", name);
    await later(milliseconds);
    for (const child of ["a", "b", "c"])
      new ComponentResource("databases:test:Good", `${name}-${child}`, {}, { parent });
    return {};
  };

/** Programs that go wrong, each in another way, with what its run says. */
const bad: Readonly<Record<string, { readonly program: PulumiFn; readonly says: RegExp }>> = {
  "throws at once": {
    program: () => {
      throw new Error("thrown at once");
    },
    says: /thrown at once/,
  },
  "rejects late": {
    program: async () => {
      await later(30);
      throw new Error("rejected late");
    },
    says: /rejected late/,
  },
  "throws in an apply that is not awaited": {
    program: () => {
      output(later(20).then(() => "")).apply(() => {
        throw new Error("thrown in an apply");
      });
      return later(60);
    },
    says: /thrown in an apply/,
  },
  "throws in a timer": {
    program: () => {
      setTimeout(() => {
        throw new Error("thrown in a timer");
      }, 20);
      return later(60);
    },
    says: /thrown in a timer/,
  },
  "leaves a promise that rejects": {
    program: () => {
      void later(20).then(() => Promise.reject(new Error("left alone")));
      return later(60);
    },
    says: /left alone/,
  },
};

const options = {
  passphrase: "of the test",
  workDirectory: tmpdir(),
  log: { info: () => undefined, warn: () => undefined },
};

async function runnerFor(mode: "resident" | "cli", deadlineMs = 60_000): Promise<AutomationRunner<PulumiFn>> {
  const pulumi = await openPulumi({ ...options, mode });
  return createAutomationRunner({
    pulumi,
    passphrase: options.passphrase,
    deadlineMs,
    toPulumi: (program: PulumiFn) => program,
    secretsOf: () => [],
  });
}

const strays = ["uncaughtException", "unhandledRejection"] as const;
const theirs = new Map(strays.map((event) => [event, process.listeners(event as "uncaughtException")]));

before(async () => {
  // node's runner takes an error that no caller awaits as the end of a test; here it is what the test is about
  for (const event of strays) process.removeAllListeners(event);
  process.env["PATH"] = `${await toolsOnPath({ progress: progressOn(process.stdout) })}:${process.env["PATH"] ?? ""}`;
});

after(() => {
  for (const [event, listeners] of theirs) for (const listener of listeners) process.on(event, listener);
});

const run = (stacks: AutomationRunner<PulumiFn>, stack: string, program: PulumiFn): Promise<StackResult> =>
  stacks.up({ stack, program, checkpoint: undefined });

for (const mode of ["resident", "cli"] as const) {
  test(`over the ${mode} Pulumi`, { timeout: 240_000 }, async (t) => {
    const stacks = await runnerFor(mode);
    after(() => stacks.close());
    for (const [how, { program, says }] of Object.entries(bad)) {
      await t.test(`a program ${how}: its run fails and says so, and those beside it succeed`, async () => {
        const beside = ["left", "right"].map((name) => run(stacks, `team.${name}`, good(name, 50)));
        const result = await run(stacks, "team.bad", program);
        assert.equal(result.kind, "failed");
        assert.match(result.problem.message, says);
        for (const { kind } of await Promise.all(beside)) assert.equal(kind, "succeeded");
      });
    }
    await t.test("a program hangs: its run ends at the deadline, and those beside it succeed", async () => {
      const impatient = await runnerFor(mode, 5000);
      const hanging = run(impatient, "team.hanging", () => new Promise(() => undefined));
      const beside = await Promise.all(
        [1, 2, 3].map((one) => run(stacks, `team.beside-${one}`, good(`beside-${one}`))),
      );
      for (const { kind } of beside) assert.equal(kind, "succeeded");
      assert.equal((await hanging).kind, "timedOut");
      await impatient.close();
    });
    await t.test("one stack is not run twice at a time", async () => {
      const [first, second] = await Promise.all([
        run(stacks, "team.twice", good("twice", 100)),
        run(stacks, "team.twice", good("twice")),
      ]);
      assert.deepEqual([first.kind, second.kind].sort(), ["failed", "succeeded"]);
    });
  });
}

/** FAULTS=all looks closer. */
const runs = process.env["FAULTS"] === "all" ? 1000 : 200;
/** What one run may leave in the heap, in MiB; it leaves nothing, but the heap breathes. */
const perRun = 0.02;

test(
  `${runs} runs: memory, connections and file descriptors are as after the first`,
  { timeout: 600_000 },
  async () => {
    const stacks = await runnerFor("resident");
    const several = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 4) {
        const names = Array.from({ length: 4 }, (_, index) => `flat-${done + index}`);
        const results = await Promise.all(names.map((name) => run(stacks, `team.${name}`, good(name))));
        for (const { kind } of results) assert.equal(kind, "succeeded");
      }
    };
    await several(100);
    const warm = await footprint();
    await several(runs);
    const end = await footprint();
    console.log("ℹ", JSON.stringify({ warm, end }));
    await stacks.close();
    assert(end.descriptors <= warm.descriptors + 5, `descriptors grew from ${warm.descriptors} to ${end.descriptors}`);
    assert(end.listeners <= warm.listeners, `listeners grew from ${warm.listeners} to ${end.listeners}`);
    const grown = (end.heap - warm.heap) / 2 ** 20;
    assert(grown < perRun * runs, `the heap grew by ${grown.toFixed(1)} MiB`);
  },
);

interface Footprint {
  readonly descriptors: number;
  readonly listeners: number;
  readonly heap: number;
}

/** Node's own collector: what is garbage is not counted. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const Collector = z.custom<() => void>((value) => typeof value === "function");
  Collector.parse(runInNewContext("gc"))();
}

async function footprint(): Promise<Footprint> {
  // connections that were closed are let go of in the next turns
  await later(500);
  collectGarbage();
  return {
    descriptors: (await readdir("/proc/self/fd")).length,
    listeners: process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection"),
    heap: process.memoryUsage().heapUsed,
  };
}
