// A pod becomes Ready, until the Database says that it is.
import { setTimeout as sleep } from "node:timers/promises";
import { memberName } from "../../../components/naming";
import { item, resources } from "../../../operator/kube/paths";
import { keyOf, patienceMs, secondsSince, type Bench, type Place } from "../bench";
import { median } from "../instruments/percentile";

export async function measureReadiness(bench: Bench, places: readonly Place[]): Promise<void> {
  const { figures, progress, databases } = bench;
  const samples: number[] = [];
  await progress.step("readiness of pods", async (detail) => {
    for (const [index, place] of places.entries()) {
      detail(`${index + 1} of ${places.length}`);
      const key = keyOf(place);
      await setReady(bench, place, false);
      await databases.until(key, (view) => view?.isReady === false, { what: "unreadiness", withinMs: patienceMs });
      await sleep(300);
      const began = performance.now();
      const seen = databases.until(key, (view) => view?.isReady === true, { what: "Ready", withinMs: patienceMs });
      await setReady(bench, place, true);
      samples.push(secondsSince(began, await seen));
      await sleep(200);
    }
  });
  figures.set("ready_p50_s", { ours: median(samples) });
}

/** What a kubelet reports of its readiness probes; a simulated one has none and lets it stand. */
async function setReady({ cluster }: Bench, { namespace, name }: Place, isReady: boolean): Promise<void> {
  const status = isReady ? "True" : "False";
  const conditions = ["Ready", "ContainersReady"].map((type) => ({ type, status }));
  const always = ["Initialized", "PodScheduled"].map((type) => ({ type, status: "True" }));
  const path = `${item(resources.pods, namespace, memberName(name, 0))}/status`;
  await cluster.client.mergePatch(path, { status: { conditions: [...conditions, ...always] } });
}
