// Makes the operator run a converged stack once more, to see that it changes nothing.
import { assertCondition, untilDatabase, untilReady } from "./database";
import { startOperatorProcess, type OperatorProcess } from "./operator-process";
import type { PlatformCluster } from "./platform-cluster";

/** `plain`: compares with the stored state, as after a change of the program; `refresh`: reads the cluster first. */
export type Manner = "plain" | "refresh";

/** Restarts the operator with a stack record that asks for a run, and returns what the run did and the new operator. */
export async function runAgain(
  platform: PlatformCluster,
  operator: OperatorProcess,
  [namespace, name]: readonly [namespace: string, name: string],
  manner: Manner,
): Promise<{ readonly summary: string; readonly operator: OperatorProcess }> {
  const before = (await untilReady(platform.kubectl, [namespace, name])).status.lastChange?.revision ?? 0;
  await operator.stop();
  const digest = manner === "plain" ? "database.example.com/digest=outdated" : "database.example.com/digest-";
  const secret = ["secret", `state.${namespace}.${name}`, "-n", "database-operator-system"];
  await platform.kubectl("annotate", "--overwrite", ...secret, digest);
  const successor = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const summary = await untilDatabase(
    platform.kubectl,
    [namespace, name],
    (view) => {
      assertCondition(name, view, { type: "Reconciling", status: "False", reason: "Reconciled" });
      assertCondition(name, view, { type: "Ready", status: "True" });
      const { lastChange } = view.status;
      if (lastChange === undefined || lastChange.revision <= before) throw new Error("the second run is not over yet");
      return lastChange.summary;
    },
    { withinMs: 60_000 },
  );
  return { summary, operator: successor };
}
