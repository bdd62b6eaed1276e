import assert from "node:assert/strict";
import test from "node:test";
import { withFallback } from "./open";
import type { Pulumi, RunPlan, Session } from "./pulumi";
import { ResidentGone } from "./resident/process";

const plan: RunPlan = {
  ...{ stack: "team.shop", checkpoint: { text: "", salt: "" }, program: "" },
  signal: new AbortController().signal,
};

const pulumiThat = (isResident: boolean, open: () => Promise<Session>): Pulumi => ({
  ...{ isResident, open, allowWritesUntil: () => undefined, close: () => Promise.resolve() },
});
const sessionOf = (name: string): Session => ({
  ...{ workspace: { workDir: name }, listen: () => ({}), checkpoint: () => Promise.resolve(undefined) },
  close: () => Promise.resolve(),
});

test("it is known while the CLI stands in for a resident Pulumi", async () => {
  let isGone = false;
  const resident = pulumiThat(true, () =>
    isGone ? Promise.reject(new ResidentGone("it ended")) : Promise.resolve(sessionOf("resident")),
  );
  const cli = pulumiThat(false, () => Promise.resolve(sessionOf("cli")));
  const both = withFallback(resident, cli, { warn: () => undefined });
  assert.equal(both.isResident, true);
  isGone = true;
  assert.equal((await both.open(plan)).workspace.workDir, "cli");
  assert.equal(both.isResident, false);
  isGone = false;
  assert.equal((await both.open(plan)).workspace.workDir, "resident");
  assert.equal(both.isResident, true);
});
