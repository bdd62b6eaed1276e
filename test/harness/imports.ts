// Databases in tests that begin with the data of a server elsewhere.
import assert from "node:assert/strict";
import { z } from "zod";
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";

/** What the status says of where the data came from. */
const InitializedFrom = z.object({
  host: z.string(),
  port: z.number(),
  databases: z.array(z.string()),
  version: z.string(),
  tables: z.number(),
  rows: z.number(),
  consistency: z.string(),
});
export type InitializedFrom = z.infer<typeof InitializedFrom>;

/** Reads it. Throws where not all of it is there. */
export async function initializedFrom(
  kubectl: Kubectl,
  [namespace, name]: readonly [string, string],
): Promise<InitializedFrom> {
  const said = await kubectl("get", "database", name, "-n", namespace, "-o", "jsonpath={.status.initializedFrom}");
  return InitializedFrom.parse(JSON.parse(said));
}

/** Kills the pod of the import Job of a Database as soon as its log has this, and waits for the pod that begins again: one that had ended would have none. */
export async function killImport(
  kubectl: Kubectl,
  [namespace, name]: readonly [string, string],
  once: RegExp,
): Promise<void> {
  const selected = ["-n", namespace, "-l", `batch.kubernetes.io/job-name=${name}-import`, "-o", "name"];
  const pods = async (): Promise<string[]> => (await kubectl("get", "pods", ...selected)).split("\n").filter(Boolean);
  const former = await eventually(async () => {
    const all = await pods();
    const [first = ""] = all;
    assert.notEqual(first, "");
    assert.match(await kubectl("logs", first, "-n", namespace), once);
    return all;
  }, minutes(2));
  await kubectl("delete", ...former, "-n", namespace, "--force", "--grace-period=0");
  await eventually(async () => {
    assert.ok((await pods()).some((pod) => !former.includes(pod)));
  }, minutes(1));
}
