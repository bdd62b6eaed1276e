import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, image, stepOf } from "../../test/fakes/previewed";
import { warningsOf } from "../admission/consequences";
import { consequencesOf } from "../consequences/table";
import type { Plan, Previewed } from "../preview/plan";
import { waitsText } from "../preview/waits";
import { tellConsequences } from "./tell-consequences";

const plan: Plan = {
  ...{ kind: "plan", database: "team/shop", intent: "change", asked: [], notes: [], drift: [], putBack: new Set() },
  ...{ steps: [], harmful: [], memberNames: [], digest: "", primary: undefined, isHeld: false },
  consequences: consequencesOf([stepOf("StatefulSet shop", "update", [image])], circumstances()),
};

const quick = { isQuick: () => true };

test("what a preview says is told", async () => {
  assert.deepEqual(await tellConsequences(() => Promise.resolve(plan), quick)({}), plan.consequences);
});

test("that a change waits is told first, and what it does then after it", async () => {
  const waiting = { ...plan, waits: "by the change policy it waits for approval (RollingRestart)" };
  const [first, ...others] = await tellConsequences(() => Promise.resolve(waiting), quick)({});
  assert.equal(first?.message, "it does not happen now: by the change policy it waits for approval (RollingRestart)");
  assert.deepEqual(others, plan.consequences);
});

test("of a release that waits it is told whether the change waits with it, or for what the release does beside it", async () => {
  const messagesOf = async (some: Partial<Plan>): Promise<readonly string[]> => {
    const told = await tellConsequences(() => Promise.resolve({ ...plan, consequences: [], ...some }), quick)({});
    return warningsOf(told);
  };
  const waits = waitsText(["approval (RollingRestart, Switchover, Downtime)"]);
  const [, because] = await messagesOf({ waits, withRelease: "both change the same of the members' pods" });
  assert.match(because ?? "", /^it waits with the operator's release \S+: both change the same of the members' pods$/);
  const [beside] = await messagesOf({ left: { waits, consequences: [] } });
  const awaited = "approval \\(RollingRestart, Switchover, Downtime\\)";
  assert.match(beside ?? "", new RegExp(`^beside it the operator's release \\S+ keeps waiting for ${awaited}$`));
});

test("of what is no plan nothing is told", async () => {
  const failed: Previewed = { kind: "failed", database: "team/shop", message: "" };
  assert.deepEqual(await tellConsequences(() => Promise.resolve(failed), quick)({}), []);
});

test("where a preview would come too late none is begun", async () => {
  let looks = 0;
  const previews = (): Promise<Previewed> => {
    looks += 1;
    return Promise.resolve(plan);
  };
  assert.deepEqual(await tellConsequences(previews, { isQuick: () => false })({}), []);
  assert.equal(looks, 0);
});

test("one is worked on at a time, then none for as long as that took", { timeout: 5000 }, async () => {
  let time = 0;
  const waiting: PromiseWithResolvers<Previewed>[] = [];
  const tell = tellConsequences(
    () => {
      const next = Promise.withResolvers<Previewed>();
      waiting.push(next);
      return next.promise;
    },
    { ...quick, now: () => time },
  );
  const first = tell({});
  assert.deepEqual(await tell({}), []);
  time = 300;
  waiting[0]?.reject(new Error("unreachable"));
  await assert.rejects(first, /unreachable/);
  time = 599;
  assert.deepEqual(await tell({}), []);
  assert.equal(waiting.length, 1);
  time = 600;
  const second = tell({});
  waiting[1]?.resolve(plan);
  assert.deepEqual(await second, plan.consequences);
});
