// Data volumes on real nodes that fill up and grow, and a spec from before that is applied again.
import assert from "node:assert/strict";
import { z } from "zod";
import { assertCondition, readDatabase, untilDatabase, type DatabaseView } from "./database";
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";

const Storage = z.object({ storage: z.string() });
const Claim = z.object({
  spec: z.object({ resources: z.object({ requests: Storage }) }),
  status: z.object({ capacity: Storage }),
});
const Pods = z.array(
  z.object({
    metadata: z.object({ name: z.string(), uid: z.string() }),
    status: z.object({ containerStatuses: z.array(z.object({ name: z.string(), restartCount: z.number() })) }),
  }),
);

/** Of which Database. */
export interface Volumes {
  readonly namespace: string;
  readonly database: string;
  readonly members: number;
}

/** What each of the members' claims asks for, and has. */
async function sizesOf(kubectl: Kubectl, { namespace, database, members }: Volumes): Promise<readonly string[]> {
  const claims = Array.from({ length: members }, (_, ordinal) => `data-${database}-${ordinal}`);
  const found = await Promise.all(claims.map((claim) => kubectl.find("pvc", claim, namespace)));
  return found.map((object) => {
    const { spec, status } = Claim.parse(object);
    return `${spec.resources.requests.storage}, has ${status.capacity.storage}`;
  });
}

async function assertSize(kubectl: Kubectl, volumes: Volumes, size: string): Promise<void> {
  const wanted = Array.from({ length: volumes.members }, () => `${size}, has ${size}`);
  assert.deepEqual(await sizesOf(kubectl, volumes), wanted);
}

/** Whether one of them is to have another size. */
export async function isGrowing(kubectl: Kubectl, volumes: Volumes, former: string): Promise<boolean> {
  return (await sizesOf(kubectl, volumes)).some((size) => !size.startsWith(`${former},`));
}

/** Waits until all of them have that size. */
export const untilGrown = (kubectl: Kubectl, volumes: Volumes, size: string): Promise<void> =>
  eventually(() => assertSize(kubectl, volumes, size), minutes(3));

/** Takes room on the volume of the first member, until it is so full, in percent; `mount`: where its container of that name has it. */
export async function fillFirst(
  kubectl: Kubectl,
  { namespace, database }: Volumes,
  { container, mount, percent }: { readonly container: string; readonly mount: string; readonly percent: number },
): Promise<void> {
  const script = `set -- $(df --output=size,used -B1 ${mount} | tail -1); fallocate -l $(($1 * ${percent} / 100 - $2)) ${mount}/filler`;
  await kubectl("exec", "-n", namespace, `${database}-0`, "-c", container, "--", "bash", "-euc", script);
}

async function membersOf(kubectl: Kubectl, { namespace, database }: Volumes): Promise<readonly string[]> {
  const selector = `database=${database},app.kubernetes.io/component=database`;
  const pods = Pods.parse(await kubectl.list("pods", { namespace, selector }));
  return pods
    .map(({ metadata: { name, uid }, status: { containerStatuses } }) => {
      const restarts = containerStatuses.map((one) => `${one.name} ${one.restartCount}`).sort();
      return `${name} ${uid}: ${restarts.join(", ")}`;
    })
    .sort();
}

const revisionOf = ({ status }: DatabaseView): number => status.lastChange?.revision ?? 0;

const readyIn = ({ status }: DatabaseView): string => {
  const found = status.conditions.find(({ type }) => type === "Ready");
  return `${found?.status ?? "not told"} ${found?.message ?? ""}`;
};

/**
 * Applies an object as GitOps does, which knows nothing of the size that volumes have grown to, and waits until the operator is through with it:
 * their size stays, no member restarts, and the Database is Ready all the time. It must differ in something that makes for a run.
 */
export async function reapply(kubectl: Kubectl, volumes: Volumes, object: unknown, size: string): Promise<void> {
  const place = [volumes.namespace, volumes.database] as const;
  const former = await readDatabase(kubectl, volumes.database, volumes.namespace);
  const before = await membersOf(kubectl, volumes);
  assert.equal(before.length, volumes.members);
  await kubectl.input(object, "apply", "--server-side", "--force-conflicts", "--field-manager=gitops", "-f", "-");
  const ready: string[] = [];
  await untilDatabase(
    kubectl,
    place,
    (view) => {
      ready.push(readyIn(view));
      assert.ok(revisionOf(view) > revisionOf(former), "no run yet");
      assertCondition(place.join("/"), view, { type: "Reconciling", status: "False", reason: "Reconciled" });
    },
    minutes(2),
  );
  assert.deepEqual(
    ready.filter((said) => !said.startsWith("True ")),
    [],
  );
  await assertSize(kubectl, volumes, size);
  assert.deepEqual(await membersOf(kubectl, volumes), before);
}
