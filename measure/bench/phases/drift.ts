// A child that another client edits or deletes, until it is as it was.
import { setTimeout as sleep } from "node:timers/promises";
import { readOnlyServiceName, readWriteServiceName } from "../../../components/naming";
import { item, resources } from "../../../operator/kube/paths";
import { z } from "zod";
import { secondsSince, type Bench, type Place } from "../bench";
import { watching } from "../instruments/object-watch";
import { median } from "../instruments/percentile";

const Service = z.object({
  metadata: z.object({ uid: z.string() }),
  spec: z.object({ selector: z.object({ role: z.string() }) }),
});

const roleIn = (object: unknown): string | undefined => Service.safeParse(object).data?.spec.selector.role;

export async function measureDrift(bench: Bench, places: readonly Place[]): Promise<void> {
  const { figures, progress } = bench;
  const edited: number[] = [];
  const deleted: number[] = [];
  await progress.step("drift", async (detail) => {
    for (const [index, place] of places.entries()) {
      detail(`${index + 1} of ${places.length}`);
      if (index % 2 === 0) edited.push(await edit(bench, place));
      else deleted.push(await remove(bench, place));
      // the operator writes the status and an event
      await sleep(500);
    }
  });
  figures.set("drift_p50_s", { ours: median([...edited, ...deleted]) });
  figures.set("drift_edited_p50_s", { ours: median(edited) });
  figures.set("drift_deleted_p50_s", { ours: median(deleted) });
}

/** Another client sends the writers to a replica. */
function edit({ cluster: { client } }: Bench, { namespace, name }: Place): Promise<number> {
  const service = readWriteServiceName(name);
  return watching(client, { resource: resources.services, namespace, name: service }, async (until) => {
    const began = performance.now();
    const noticed = until((object) => roleIn(object) === "nobody", "the edit");
    await client.mergePatch(item(resources.services, namespace, service), { spec: { selector: { role: "nobody" } } });
    await noticed;
    return secondsSince(began, await until((object) => roleIn(object) === "primary", "the former selector"));
  });
}

function remove({ cluster: { client } }: Bench, { namespace, name }: Place): Promise<number> {
  const service = readOnlyServiceName(name);
  const uidOf = (object: unknown): string | undefined => Service.safeParse(object).data?.metadata.uid;
  return watching(client, { resource: resources.services, namespace, name: service }, async (until) => {
    const path = item(resources.services, namespace, service);
    const before = uidOf(await client.get(path));
    const began = performance.now();
    await client.delete(path);
    const isNew = (object: unknown): boolean => uidOf(object) !== undefined && uidOf(object) !== before;
    return secondsSince(began, await until(isNew, "another Service of that name"));
  });
}
