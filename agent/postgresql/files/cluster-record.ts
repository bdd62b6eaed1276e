// What Patroni has on record of the cluster, where files of another one take the place of its own (ADR 48).
import { z } from "zod";
import { ApiError, type KubernetesClient } from "../../kubernetes/client";
import { configMapPath } from "../../kubernetes/paths";

/** Who is to lead with files that came into their place, and up to where these go. */
export interface Successor {
  readonly member: string;
  /** Position of their last checkpoint in the WAL, in bytes. */
  readonly checkpoint: string;
}

/** Where Patroni has it. */
export interface RecordPaths {
  readonly config: string;
  readonly leader: string;
  readonly sync: string;
}

/** Those of a Database. */
export const recordPathsOf = (namespace: string, database: string): RecordPaths => ({
  config: configMapPath(namespace, `${database}-config`),
  leader: configMapPath(namespace, `${database}-leader`),
  sync: configMapPath(namespace, `${database}-sync`),
});

const Annotated = z.object({
  metadata: z.object({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
});
type Metadata = z.infer<typeof Annotated>["metadata"];

/** See the header. */
export class ClusterRecord {
  constructor(
    private readonly client: Pick<KubernetesClient, "get" | "patch">,
    private readonly paths: RecordPaths,
  ) {}

  /** Which cluster counts; undefined where none does yet. */
  async initialized(): Promise<string | undefined> {
    return (await this.#metadata(this.paths.config)).annotations[initialize];
  }

  /** Whether a member leads. */
  async hasLeader(): Promise<boolean> {
    return (await this.#metadata(this.paths.leader)).annotations[leader] !== undefined;
  }

  /**
   * Whether the former cluster counted, and does no more. Before that, while no member of the present one runs, its leader is prepared: Patroni lets no
   * member lead that is behind what the former cluster had written last, and where commits wait for others, none but those that had confirmed them. With
   * files of before, another member must not lead either, as the first one would be wound back to it.
   */
  async replace(former: string, present: string, successor: Successor): Promise<boolean> {
    const { resourceVersion, annotations } = await this.#metadata(this.paths.config);
    if (annotations[initialize] !== former) return false;
    try {
      await this.#prepare(successor);
      await this.client.patch(this.paths.config, {
        metadata: { resourceVersion, annotations: { [initialize]: present } },
      });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return false;
      throw error;
    }
  }

  async #prepare({ member, checkpoint }: Successor): Promise<void> {
    const { paths } = this;
    const [lease, sync] = [await this.#metadata(paths.leader), await this.#metadata(paths.sync)];
    // Patroni asks none of those that are named but itself, whose address it knows
    const alone = { optime: checkpoint, failsafe: JSON.stringify({ [member]: "" }), [leader]: null };
    await this.#change(paths.leader, lease, alone);
    if (sync.annotations[leader] !== undefined)
      await this.#change(paths.sync, sync, { [leader]: member, sync_standby: null, quorum: null });
  }

  async #change(
    path: string,
    { resourceVersion }: Metadata,
    annotations: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    await this.client.patch(path, { metadata: { resourceVersion, annotations } });
  }

  async #metadata(path: string): Promise<Metadata> {
    return Annotated.parse(await this.client.get(path)).metadata;
  }
}

const initialize = "initialize";
const leader = "leader";
