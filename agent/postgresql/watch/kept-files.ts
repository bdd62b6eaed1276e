// That files of another major version are kept beside those of the server: it is noted on the pod, and they go once that is asked for.
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { keptFilesAnnotation, removalKey, type KeptFilesNote } from "../../../contract/kept-files";
import { syncToDisk } from "../../disk";
import type { KubernetesClient } from "../../kubernetes/client";
import { readConfigMap } from "../../kubernetes/config-map";
import { configMapPath, podPath } from "../../kubernetes/paths";
import type { Log } from "../log";
import { keptAt, lookAt, type Places } from "../upgrade/volume";
import type { Watch } from "./ports";

/** What it needs. */
export interface KeptFilesArgs {
  readonly places: Places;
  /** Major version of the member's server. */
  readonly server: () => Promise<string>;
  readonly cluster: { removes(): Promise<string | undefined>; note(note: KeptFilesNote): Promise<void> };
  readonly log: Log;
}

/** Names of what is being removed begin with this: it is no files of a version any more, whatever is left of it. */
const removing = ".removing-";

/** See the header. */
export class KeptFiles implements Watch {
  readonly pauseMs = 5_000;
  #noted = "";

  constructor(private readonly args: KeptFilesArgs) {}

  async look(): Promise<void> {
    const { places, cluster, server } = this.args;
    const { data, kept } = await lookAt(places);
    const going = await this.#going();
    // a member that has no files yet may find no room for them before the others go; those of its own version it may be about to take up
    const major = data ?? (await server());
    const others = kept.filter((one) => data !== undefined || one !== major);
    if (others.length + going.length > 0 && (await cluster.removes()) === major) {
      await this.#remove(others, going);
      return this.look();
    }
    if (data === undefined) return;
    const note: KeptFilesNote = { major: data, kept: [...kept, ...going.map((name) => name.slice(removing.length))] };
    const text = JSON.stringify(note);
    if (text === this.#noted) return;
    await cluster.note(note);
    this.#noted = text;
  }

  async #going(): Promise<string[]> {
    return (await readdir(this.args.places.volume)).filter((name) => name.startsWith(removing));
  }

  /** The rename first: half of them must not look like files of a version. */
  async #remove(kept: readonly string[], going: readonly string[]): Promise<void> {
    const { places, log } = this.args;
    const { volume, data, note } = places;
    for (const major of kept) await rename(keptAt(data, major), join(volume, `${removing}${major}`));
    await rm(note, { force: true });
    await syncToDisk(volume);
    for (const name of new Set([...going, ...kept.map((major) => `${removing}${major}`)])) {
      await rm(join(volume, name), { recursive: true, force: true });
      log(`the files of PostgreSQL ${name.slice(removing.length)}, which were kept, are removed`);
    }
  }

  /** Such as an API that does not answer. */
  failed(): void {
    // it is tried again
  }
}

/** What it asks and says at the Kubernetes API. */
export const keptFilesCluster = (
  client: Pick<KubernetesClient, "get" | "patch" | "podUid">,
  { namespace, database, self }: { readonly namespace: string; readonly database: string; readonly self: string },
): KeptFilesArgs["cluster"] => ({
  removes: async () => (await readConfigMap(client, configMapPath(namespace, `${database}-config`))).data[removalKey],
  note: async (note) => {
    const uid = await client.podUid();
    const annotations = { [keptFilesAnnotation]: JSON.stringify(note) };
    await client.patch(podPath(namespace, self), { metadata: { annotations, ...(uid !== undefined && { uid }) } });
  },
});
