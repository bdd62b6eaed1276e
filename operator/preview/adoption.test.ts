import assert from "node:assert/strict";
import test from "node:test";
import { stepOf, storage } from "../../test/fakes/previewed";
import { specOf } from "../../test/fakes/specs";
import type { Desired } from "../domain/desired";
import { foundIn, withAdoptions } from "./adoption";
import { plain, render, summaryOf } from "./render";
import { reportOf } from "./report";
import type { Plan } from "./plan";

const claims = ["data-shop-1", "data-shop-2"].map((name) => stepOf(`PersistentVolumeClaim ${name}`, "create"));
const none: ReadonlySet<string> = new Set();

test("a volume that a smaller Database left is used again, and not created", async () => {
  const steps = await withAdoptions([...claims, stepOf("Service shop", "same")], none, {
    existing: (children) => {
      assert.deepEqual(children, ["PersistentVolumeClaim data-shop-1", "PersistentVolumeClaim data-shop-2"]);
      return Promise.resolve(["PersistentVolumeClaim data-shop-1"]);
    },
    growthOf: (claim) => Promise.resolve(claim === "data-shop-1" ? [storage] : []),
  });
  assert.deepEqual(
    steps.map(({ adopts }) => adopts),
    [true, undefined, undefined],
  );
  assert.equal(summaryOf({ steps, putBack: none }), "1 to create, 1 unchanged, 1 used again");
  const plan: Plan = {
    ...{ kind: "plan", database: "team/shop", intent: "change", asked: [], notes: [], drift: [], putBack: none },
    ...{ steps, harmful: [], consequences: [], memberNames: [], digest: "d", primary: undefined, isHeld: false },
  };
  const text = render([plan], plain);
  assert.match(
    text,
    /~ PersistentVolumeClaim data-shop-1, which is there, and is used again\n +spec.resources.requests.storage +"10Gi" → "20Gi"\n/,
  );
  assert.match(text, /\+ PersistentVolumeClaim data-shop-2\n/);
  assert.deepEqual(
    reportOf(plan).objects?.map(({ adopted }) => adopted),
    [true, undefined],
  );
});

test("what is there otherwise than as a volume is brought to its form, and that is said", async () => {
  const steps = await withAdoptions([stepOf("ConfigMap shop-config", "create")], none, {
    existing: (children) => Promise.resolve(children),
    growthOf: () => Promise.reject(new Error("it is no claim")),
  });
  const plan: Plan = {
    ...{ kind: "plan", database: "team/shop", intent: "change", asked: [], notes: [], drift: [], putBack: none },
    ...{ steps, harmful: [], consequences: [], memberNames: [], digest: "d", primary: undefined, isHeld: false },
  };
  const text = "~ ConfigMap shop-config, which is there, and is written over";
  assert.ok(render([plan], plain).includes(text));
});

test("what was restored is told as that, and a Job is created again", async () => {
  const never = (): Promise<never> => Promise.reject(new Error("there is no question"));
  const steps = [stepOf("Service shop", "create"), stepOf("Job shop-init", "create")];
  const asked = withAdoptions(steps, new Set(["Service shop"]), { existing: never, growthOf: never });
  assert.deepEqual(await asked, steps);
});

test("a volume for data or backups that is used again grows to what is wanted of it, and no other claim is asked about", async () => {
  const desired: Desired = {
    owner: { name: "shop", namespace: "team", uid: "u" },
    spec: specOf({ replicas: 1, storage: "5Gi", backup: { destination: { volume: { size: "8Gi" } } } }),
    ...{ image: "i:1", config: {}, serviceMonitors: false },
  };
  const { growthOf } = foundIn(
    {
      children: { existing: () => Promise.reject(new Error("there is no question")) },
      volumes: { sizeOf: (_namespace, claim) => Promise.resolve(claim === "data-shop-0" ? "5Gi" : "3Gi") },
    },
    "team/shop",
    desired,
  );
  const claims = ["data-shop-0", "data-shop-1", "shop-backup", "shop-backup-staging"];
  assert.deepEqual(await Promise.all(claims.map(growthOf)), [
    [],
    [],
    [{ path: "spec.resources.requests.storage", kind: "change", before: "3Gi", after: "8Gi" }],
    [],
  ]);
});
