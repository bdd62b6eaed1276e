// A version's image changes in the catalogue: all that an upgrade can be where only one version is available.
import { catalogueIn } from "../../../operator/kube/catalogue";
import { openNodeImages } from "../../../tools/cluster/nodes/real/real-nodes";
import { untilReady } from "../../../test/harness/database";
import { eventually, minutes } from "../../../test/harness/eventually";
import { operatorNamespace } from "../../../test/judges/invariants/snapshot";
import { catalogueMap } from "../../../contract/platform";
import type { Scene } from "./fault";

const suffix = "-rebuilt-";

/** The members get an image of another name, with the same contents. Returns when all of them run it. */
export async function toRebuiltImage({ kubectl, subject, directory, step }: Scene): Promise<void> {
  const { engine, version, namespace, name } = subject;
  const catalogue = catalogueIn(await kubectl.find("configmap", catalogueMap.name, operatorNamespace));
  const entry = catalogue[engine.name]?.[version];
  if (entry === undefined) throw new Error(`the catalogue has no ${engine.name} ${version}`);
  const [built = entry.image] = entry.image.split(suffix);
  const rebuilt = `${built}${suffix}${step}`;
  await (await openNodeImages(directory)).tagImage(entry.image, rebuilt);
  const changed = {
    ...catalogue,
    [engine.name]: { ...catalogue[engine.name], [version]: { ...entry, image: rebuilt } },
  };
  const patch = JSON.stringify({ data: { [catalogueMap.key]: JSON.stringify(changed) } });
  await kubectl("patch", "configmap", catalogueMap.name, "-n", operatorNamespace, "-p", patch);
  const pods = subject.members().map((member) => member.name);
  const path = `jsonpath={.items[*].spec.containers[?(@.name=="${engine.name}")].image}`;
  await eventually(
    async () => {
      const images = (await kubectl("get", "pods", ...pods, "-n", namespace, "-o", path)).split(" ");
      if (!images.every((image) => image === rebuilt)) throw new Error(`the members run ${images.join(", ")}`);
    },
    { ...minutes(6), everyMs: 500 },
  );
  await untilReady(kubectl, [namespace, name], minutes(3));
}
