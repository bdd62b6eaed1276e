// What a Database runs by, where the record of it was lost: its newest DatabaseRevision, and its StatefulSet.
import { z } from "zod";
import { statefulSetName } from "../../components/naming";
import { parseRevision } from "../api/revisions/object";
import { DatabaseSpec } from "../api/spec";
import { placeOf } from "../domain/key";
import type { Ports } from "../domain/ports";
import type { Recalled } from "../domain/recalled";
import { ownOf } from "../history/decide";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";

/** Without what the API server writes of an object that is none. */
const Metadata = z
  .looseObject({})
  .transform((metadata) =>
    Object.fromEntries(Object.entries(metadata).filter(([field]) => field !== "creationTimestamp")),
  );
const StatefulSet = z.object({ spec: z.object({ template: z.looseObject({ metadata: Metadata }) }) });
const Listed = z.object({ items: z.array(z.unknown()).nullish() });

/** See the header. Reads past the watches: what they keep of revisions is little. */
export const createRecall =
  (client: Pick<KubeClient, "find" | "get">): Ports["recall"] =>
  async (key, uid) => {
    const { namespace, name } = placeOf(key);
    const workload = await client.find(item(resources.statefulSets, namespace, statefulSetName(name)));
    if (workload === undefined) return undefined;
    const found = (await revisionsIn(client, namespace)).flatMap((one) => parseRevision(one) ?? []);
    const [newest] = ownOf(
      found.filter(({ spec }) => spec.database === name),
      uid,
    );
    const { template } = StatefulSet.parse(workload).spec;
    return newest && recalledFrom(newest.spec, template);
  };

function recalledFrom(
  { revision, at, runSeconds, summary, manager = "", generation, image, release, template: spec }: Carried,
  template: Recalled["template"],
): Recalled | undefined {
  const parsed = DatabaseSpec.safeParse(spec);
  if (!parsed.success || image === undefined) return undefined;
  const counted = { revision, at, seconds: runSeconds, summary, by: manager };
  return {
    revision: { ...counted, ...(generation !== undefined && { generation }) },
    ...{ spec: parsed.data, image, release, template },
  };
}

type Carried = NonNullable<ReturnType<typeof parseRevision>>["spec"];

/** None where the cluster does not know the kind, or they may not be read. */
async function revisionsIn(client: Pick<KubeClient, "get">, namespace: string): Promise<readonly unknown[]> {
  try {
    return Listed.parse(await client.get(collection(resources.databaseRevisions, namespace))).items ?? [];
  } catch (error) {
    if (isApiError(error, 404) || isApiError(error, 403)) return [];
    throw error;
  }
}
