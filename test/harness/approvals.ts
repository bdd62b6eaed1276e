// Changes that wait, and people who approve them with their own rights.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { PendingChange } from "../../operator/api/pending-change";
import { untilCondition } from "./database";
import { minutes } from "./eventually";
import { kubectlFor, type Kubectl } from "./kubectl";
import { newPerson, type Person } from "./people";
import type { PlatformCluster } from "./platform-cluster";

export type Place = readonly [namespace: string, name: string];

/** kubectl as that person, whose kubeconfig is put into `directory`. */
export async function asPerson(
  { kubectl, environment }: Pick<PlatformCluster, "kubectl" | "environment">,
  person: Person,
  directory: string,
): Promise<Kubectl> {
  const file = join(directory, person.name);
  await writeFile(file, await newPerson(kubectl, person), { mode: 0o600 });
  return kubectlFor({ ...environment, KUBECONFIG: file });
}

const Waiting = z.object({ status: z.object({ pendingChange: PendingChange.optional() }) });

export async function pendingOf(kubectl: Kubectl, [namespace, name]: Place): Promise<PendingChange | undefined> {
  return Waiting.parse(await kubectl.find("database", name, namespace)).status.pendingChange;
}

/** What waits once the condition says so of the present generation. */
export async function untilWaits(kubectl: Kubectl, place: Place, reason = "AwaitingApproval"): Promise<PendingChange> {
  await untilCondition(kubectl, place, { type: "ChangePending", status: "True", reason }, minutes(1));
  const pending = await pendingOf(kubectl, place);
  assert.ok(pending !== undefined);
  return pending;
}

export const annotate = ([namespace, name]: Place, by: Kubectl, ...annotations: string[]): Promise<string> =>
  by("annotate", "database", name, "-n", namespace, "--overwrite", ...annotations);

export const approve = (
  place: Place,
  by: Kubectl,
  digest: string,
  key: string = approvalKeys.approve,
): Promise<string> => annotate(place, by, `${key}=${digest}`);
