// Major upgrades on real nodes: where one is, and the pod of its Job, which is killed.
import assert from "node:assert/strict";
import { z } from "zod";
import { eventually, minutes, type Patience } from "./eventually";
import type { Kubectl } from "./kubectl";
import { killPod } from "./pods";
import { untilObject } from "./until";

const Upgrading = z.object({
  status: z.object({
    version: z.string(),
    upgrade: z
      .object({
        phase: z.string(),
        announcedSeconds: z.number().optional(),
        downtimeSeconds: z.number().optional(),
      })
      .optional(),
  }),
});
export type UpgradeStatus = z.infer<typeof Upgrading>["status"];

const Pods = z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.object({ phase: z.string() }) }));

type Place = readonly [namespace: string, name: string];

/** Waits for a version of the status, so that no phase is missed between two looks. */
export const untilStatus = (
  kubectl: Kubectl,
  [namespace, name]: Place,
  check: (status: UpgradeStatus) => void,
  patience: Patience = minutes(5),
): Promise<UpgradeStatus> =>
  untilObject(
    kubectl,
    { kind: "databases.example.com", name, namespace },
    (object) => {
      const { status } = Upgrading.parse(object);
      check(status);
      return status;
    },
    patience,
  );

/** Waits until it is in one of these phases. */
export const untilPhase = (
  kubectl: Kubectl,
  place: Place,
  phases: readonly string[],
  patience?: Patience,
): Promise<UpgradeStatus> =>
  untilStatus(
    kubectl,
    place,
    ({ upgrade }) => {
      assert.ok(phases.includes(upgrade?.phase ?? ""), `it is in ${upgrade?.phase ?? "none"}, not in ${phases.join()}`);
    },
    patience,
  );

/** Kills the pod of its Job in a phase, as soon as it runs. */
export async function killUpgradePod(
  kubectl: Kubectl,
  place: Place,
  phase: "Rehearsing" | "Converting",
  patience?: Patience,
): Promise<void> {
  await untilPhase(kubectl, place, [phase], patience);
  const [namespace, name] = place;
  const selector = `batch.kubernetes.io/job-name=${name}-upgrade`;
  const pod = await eventually(async () => {
    const pods = Pods.parse(await kubectl.list("pods", { namespace, selector }));
    const [running, other] = pods.filter(({ status }) => status.phase === "Running");
    assert.ok(running !== undefined && other === undefined);
    return running.metadata.name;
  }, minutes(2));
  await killPod(kubectl, namespace, pod);
}

/** What may come on top of the time that was announced: members stop and start, each by a run, and pods of a Job and of a member come. */
const mostSeconds = 120;

/**
 * What clients were told before, and what became of it. The rehearsal measures the conversion alone, beside members that serve; so much longer than
 * it a downtime may be on a machine that does other things as well.
 */
export function assertAsAnnounced({ upgrade }: UpgradeStatus): void {
  const { announcedSeconds = 0, downtimeSeconds = 0 } = upgrade ?? {};
  assert.ok(announcedSeconds > 0 && downtimeSeconds > 0, JSON.stringify(upgrade));
  assert.ok(downtimeSeconds <= 2 * announcedSeconds + mostSeconds, JSON.stringify(upgrade));
}
