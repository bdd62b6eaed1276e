// The Database as the baselines declare it: by the operator's own program.
import { DatabaseSpec } from "../../../operator/api/spec";
import type { DatabaseProgram } from "../../../operator/domain/desired";
import { simulatedCatalogue } from "../../../test/harness/platform-cluster";
import { specWith } from "../spec";
import type { Command } from "./protocol";

const passwords = { app: "app", superuser: "superuser", replication: "replication", monitor: "monitor", rest: "rest" };

/** Without a Database in the cluster there is no owner to refer to, as under the policy Snapshot. */
export function programFor({
  namespace,
  name,
  workMem,
}: Pick<Command, "namespace" | "name" | "workMem">): DatabaseProgram {
  const spec = DatabaseSpec.parse({ ...specWith(workMem), deletionPolicy: "Snapshot" });
  return {
    desired: {
      owner: { name, namespace, uid: "" },
      spec,
      image: simulatedCatalogue.postgresql["17.6"].image,
      config: spec.config ?? {},
      serviceMonitors: false,
    },
    passwords,
  };
}
