// What Jobs have in common, and how they change. They are the only children that are ever replaced.
import type * as pulumi from "@pulumi/pulumi";
import { jobAccountName } from "./naming";
import type { Container, Pod, Volume } from "./pod";
import type { Settings } from "./settings";

/** A Job's template is immutable and its name is fixed: the old one goes before the new one comes. */
export const replacedJob: Pick<pulumi.CustomResourceOptions, "replaceOnChanges" | "deleteBeforeReplace"> = {
  replaceOnChanges: ["spec"],
  deleteBeforeReplace: true,
};

/**
 * The pod of a Job. It talks to the database only, so it gets no token for the Kubernetes API. What its program says last is in the pod's
 * termination message: by itself, or else the end of its log.
 */
export function jobPodOf(
  { name }: Settings,
  container: Container,
  { volumes, restartPolicy }: { readonly volumes: readonly Volume[]; readonly restartPolicy: "Never" | "OnFailure" },
): Pod {
  return {
    serviceAccountName: jobAccountName(name),
    containers: [{ ...container, terminationMessagePolicy: "FallbackToLogsOnError" }],
    volumes,
    restartPolicy,
  };
}
