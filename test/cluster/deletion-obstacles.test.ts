// How a Database ends when something stands in the way, against a real API server, CLI and provider; nodes are simulated.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { z } from "zod";
import { readDatabase, untilCondition, untilGone } from "../harness/database";
import { Deletions, type Place } from "../harness/deletions";
import { eventually, minutes } from "../harness/eventually";
import type { FaultProxy } from "../harness/fault-proxy";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { proxiedEnvironment, startProxy } from "../harness/proxied";
import { sendSignal } from "../harness/signal";
import { familyOf } from "../judges/invariants/processes";
import { proves } from "../judges/reliability/case";
import { deletion } from "../judges/reliability/cases/deletion";

let platform: PlatformCluster;
let proxy: FaultProxy;
let environment: Readonly<Record<string, string>>;
let operator: OperatorProcess;
let databases: Deletions;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  proxy = await startProxy(platform.cluster);
  environment = await proxiedEnvironment(platform.operatorEnvironment, platform.cluster, proxy);
  operator = await startOperatorProcess({ environment });
  databases = new Deletions(platform.kubectl);
});
after(async () => {
  await operator.stop();
  await proxy.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);

/** Ends the operator, does something, and starts another one. */
async function withoutOperator(act: () => Promise<unknown>, settings: Record<string, string> = {}): Promise<void> {
  await operator.stop();
  try {
    await act();
  } finally {
    operator = await startOperatorProcess({ environment: { ...environment, ...settings } });
  }
}

proves(deletion.neverReconciled, async () => {
  const place = await databases.place("unseen");
  await withoutOperator(async () => {
    await databases.apply(place);
    await databases.removeAtOnce(place);
  });
  assert.deepEqual(await databases.children(place), []);
});

proves(deletion.alwaysStalled, async () => {
  const place = await databases.place("stalled");
  await databases.apply(place, { version: "14.5", deletionPolicy: "Snapshot" });
  await untilCondition(platform.kubectl, place, { type: "Stalled", status: "True", reason: "VersionUnavailable" });
  await databases.removeAtOnce(place);
  assert.deepEqual(await databases.operatorSecrets(place), []);
});

/** The process of the provider. */
function provider(): number {
  const found = familyOf(operator.pid).find(({ argv }) => argv.includes("pulumi-resource-kubernetes"));
  return found?.pid ?? assert.fail("no provider runs");
}

const runsOf = (place: Place): number => runsIn(operator, place.join("/"));

proves(deletion.whileRunning, async (t) => {
  await t.test("frozen in the middle of the first run", async () => {
    const place = await databases.place("frozen");
    const held = proxy.hold({ by: "provider", verb: "patch", resource: "statefulsets", namespace: place[0] });
    await withoutOperator(() => databases.apply(place, { deletionPolicy: "Delete" }), {
      DATABASE_OPERATOR_RUN_DEADLINE_SECONDS: "10",
    });
    await held.held();
    assert.equal(runsOf(place), 0);
    const pid = provider();
    process.kill(pid, "SIGSTOP");
    try {
      held.release();
      await databases.remove(place);
      await eventually(() => {
        // by its deadline, or sooner where its provider is found to be frozen
        const ends = ["timedOut", "failed"];
        assert.ok(
          operator.log.some(({ result, database }) => ends.includes(String(result)) && database === place.join("/")),
        );
      }, minutes(1));
      await databases.untilLeft(place, "Delete");
    } finally {
      sendSignal(pid, "SIGCONT");
    }
  });
  await t.test("at once after an edit", async () => {
    await withoutOperator(() => Promise.resolve());
    const place = await databases.ready("edited", { deletionPolicy: "Delete" });
    const runs = runsOf(place);
    const held = proxy.hold({ by: "provider", verb: "patch", resource: "statefulsets", namespace: place[0] });
    await databases.patch(place, { replicas: 2, config: { work_mem: "8MB" } });
    await held.held();
    await databases.remove(place);
    assert.equal(runsOf(place), runs);
    held.release();
    await databases.untilLeft(place, "Delete");
  });
});

/** Makes the API server refuse to delete Services of a namespace. */
async function refuseServiceDeletion(namespace: string): Promise<void> {
  const admission = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: "keep-services" } };
  await platform.kubectl.apply({
    ...admission,
    kind: "ValidatingAdmissionPolicy",
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["services"] }],
      },
      validations: [{ expression: "false", message: "kept for the audit" }],
    },
  });
  const spec = { policyName: "keep-services", validationActions: ["Deny"] };
  await platform.kubectl.apply({ ...admission, kind: "ValidatingAdmissionPolicyBinding", spec });
  await eventually(async () => {
    await assert.rejects(kubectl("delete", "service", "shop", "-n", namespace, "--dry-run=server"), /for the audit/);
  });
}

/** Undoes that; the API server goes by its former policies for a moment longer. */
async function allowServiceDeletion(namespace: string): Promise<void> {
  const kinds = "validatingadmissionpolicybinding,validatingadmissionpolicy";
  await kubectl("delete", kinds, "keep-services", "--ignore-not-found");
  await eventually(() => kubectl("delete", "service", "--all", "-n", namespace, "--dry-run=server"));
}

const failedDestroys = (place: Place): number =>
  operator.log.filter(
    ({ msg, database, operation }) =>
      msg === "stack run did not succeed" && database === place.join("/") && operation === "destroy",
  ).length;

proves(deletion.destroyRefused, async (t) => {
  for (const [attempts, policy] of [
    [1, "Delete"],
    [10, "Snapshot"],
  ] as const) {
    await t.test(`${attempts} times, ${policy}`, async () => {
      const place = await databases.ready(`kept-${attempts}`, { deletionPolicy: policy });
      await refuseServiceDeletion(place[0]);
      try {
        await databases.remove(place);
        for (let attempt = 1; attempt <= attempts; attempt++) {
          await eventually(() => {
            assert.ok(failedDestroys(place) >= attempt);
          }, minutes(1));
          await databases.untilSaid(
            place,
            "Reconciling",
            /^DestroyFailed: .*kept for the audit.*the operator tries again/,
          );
          // a person's edit does not wait for the pause to end
          if (attempt < attempts)
            await kubectl("annotate", "--overwrite", "db", "shop", "-n", place[0], `try=${attempt}`);
        }
        const { metadata, status } = await readDatabase(platform.kubectl, "shop", place[0]);
        assert.deepEqual([metadata.finalizers, status.phase], [["database.example.com/finalizer"], "Deleting"]);
        await databases.assertDataKept(place);
      } finally {
        await allowServiceDeletion(place[0]);
      }
      if (attempts > 1) await kubectl("annotate", "--overwrite", "db", "shop", "-n", place[0], "try=last");
      await databases.untilLeft(place, policy);
    });
  }
});

proves(deletion.foreignFinalizer, async () => {
  const place = await databases.ready("held", { deletionPolicy: "Delete" });
  await databases.hold("service", place, ["example.org/hold"]);
  await databases.remove(place);
  await databases.untilSaid(place, "Reconciling", /^Deleting: .*Service shop \(held by example\.org\/hold\)/);
  await databases.hold("service", place, []);
  await databases.untilLeft(place, "Delete");
});

proves(deletion.volumeDeleted, async () => {
  const place = await databases.ready("in-use", { deletionPolicy: "Delete" });
  const state = ["secret", `state.${place.join(".")}`, "-n", "database-operator-system"];
  await withoutOperator(async () => {
    await kubectl("delete", "pvc", "data-shop-0", "-n", place[0], "--wait=false");
    await kubectl("annotate", ...state, "database.example.com/digest-");
    await databases.remove(place);
  });
  await databases.untilLeft(place, "Delete");
});

proves(deletion.finalizerRemoved, async () => {
  const place = await databases.ready("by-hand");
  const why = "its finalizer is taken off by hand, so the operator's records of it stay";
  platform.witness.disregard(place[0], why, ["orphans"]);
  await withoutOperator(async () => {
    await databases.hold("database", place, []);
    await databases.remove(place);
    await untilGone(platform.kubectl, place);
    await databases.untilChildren(place, "Retain");
  });
});

const Crd = z.object({
  spec: z.object({
    versions: z.tuple([
      z.object({ schema: z.object({ openAPIV3Schema: z.looseObject({ properties: z.unknown() }) }) }),
    ]),
  }),
});

/** Lets the API server take any spec while `act` runs. */
async function withoutRules(act: () => Promise<void>): Promise<void> {
  const crd = Crd.parse(await platform.kubectl.find("crd", "databases.example.com"));
  const path = "/spec/versions/0/schema/openAPIV3Schema";
  const change = (value: unknown): Promise<string> =>
    kubectl(
      "patch",
      "crd",
      "databases.example.com",
      "--type=json",
      "-p",
      JSON.stringify([{ op: "replace", path, value }]),
    );
  await change({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
  try {
    await act();
  } finally {
    await change(crd.spec.versions[0].schema.openAPIV3Schema);
  }
}

proves(deletion.invalidSpec, async (t) => {
  const places = new Map<"Retain" | "Snapshot", Place>();
  for (const policy of ["Retain", "Snapshot"] as const) {
    places.set(policy, await databases.ready(`invalid-${policy.toLowerCase()}`, { deletionPolicy: policy }));
  }
  await withoutRules(async () => {
    for (const [policy, place] of places) {
      await t.test(policy, async () => {
        await eventually(() => databases.patch(place, { storage: "5GB", paused: "perhaps" }));
        await untilCondition(platform.kubectl, place, { type: "Stalled", status: "True", reason: "SpecInvalid" });
        await databases.remove(place);
        await databases.untilLeft(place, policy);
        assert.equal(await databases.wasBackedUp(place), policy === "Snapshot");
      });
    }
  });
});
