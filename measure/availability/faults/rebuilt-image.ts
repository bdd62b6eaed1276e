// A version's image changes in the catalogue: all that an upgrade can be where only one version is available.
import { catalogueIn } from "../../../operator/kube/catalogue";
import { openNodeImages } from "../../../tools/cluster/nodes/real/real-nodes";
import { untilReady } from "../../../test/harness/database";
import { eventually, minutes } from "../../../test/harness/eventually";
import { operatorNamespace } from "../../../test/judges/invariants/snapshot";
import type { EngineName } from "../../../contract/engines";
import { catalogueMap } from "../../../contract/platform";
import type { Kubectl } from "../../../test/harness/kubectl";
import type { Scene } from "./fault";

const suffix = "-rebuilt-";

/** The members of the scene's Database get it. */
export function toImageOf({ kubectl, subject, directory, step }: Scene): Promise<void> {
  const { engine, version, namespace, name } = subject;
  const members = subject.members().map((member) => member.name);
  const build = { engine: engine.name, version, step };
  return toRebuiltImage({ kubectl, directory, build, place: [namespace, name], members });
}

interface Rebuilding {
  readonly kubectl: Kubectl;
  /** Of the cluster, on this machine. */
  readonly directory: string;
  /** `step`: a number that no build before had. */
  readonly build: { readonly engine: EngineName; readonly version: string; readonly step: number };
  readonly place: readonly [namespace: string, name: string];
  readonly members: readonly string[];
}

/** The members get an image of another name, with the same contents. Returns when all of them run it. */
export async function toRebuiltImage({ kubectl, directory, build, place, members }: Rebuilding): Promise<void> {
  const { engine, version, step } = build;
  const catalogue = catalogueIn(await kubectl.find("configmap", catalogueMap.name, operatorNamespace));
  const entry = catalogue[engine]?.[version];
  if (entry === undefined) throw new Error(`the catalogue has no ${engine} ${version}`);
  const [built = entry.image] = entry.image.split(suffix);
  const rebuilt = `${built}${suffix}${step}`;
  await (await openNodeImages(directory)).tagImage(entry.image, rebuilt);
  const changed = {
    ...catalogue,
    [engine]: { ...catalogue[engine], [version]: { ...entry, image: rebuilt } },
  };
  const patch = JSON.stringify({ data: { [catalogueMap.key]: JSON.stringify(changed) } });
  await kubectl("patch", "configmap", catalogueMap.name, "-n", operatorNamespace, "-p", patch);
  const path = `jsonpath={.items[*].spec.containers[?(@.name=="${engine}")].image}`;
  await eventually(
    async () => {
      const images = (await kubectl("get", "pods", ...members, "-n", place[0], "-o", path)).split(" ");
      if (!images.every((image) => image === rebuilt)) throw new Error(`the members run ${images.join(", ")}`);
    },
    { ...minutes(6), everyMs: 500 },
  );
  await untilReady(kubectl, place, minutes(3));
}
