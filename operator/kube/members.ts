// Members read past the watches' copies, right before one of them is restarted, and the restart itself: an eviction.
import { z } from "zod";
import { memberSelector, statefulSetName } from "../../components/naming";
import type { Eviction, FreshMember, Members, MembersNow } from "../domain/members";
import { placeOf, type Key } from "../domain/key";
import { versionOf } from "../objects/resource-version";
import { ownerOf } from "./by-database";
import { ApiError, type KubeClient } from "./client";
import { podOf, workloadOf } from "./observe";
import { collection, item, resources, selectorText } from "./paths";

const Listed = z.object({ items: z.array(z.unknown()).nullish() });

/** See the header. */
export class ClusterMembers implements Members {
  /** Refusals in a row, by Database and path of the pod. */
  readonly #refusals = new Map<Key, Map<string, number>>();

  constructor(private readonly client: Pick<KubeClient, "find" | "get" | "create">) {}

  async read(key: Key): Promise<MembersNow> {
    const { namespace, name } = placeOf(key);
    const [workload, pods] = await Promise.all([
      this.client.find(item(resources.statefulSets, namespace, statefulSetName(name))),
      this.client.get(collection(resources.pods, namespace), {
        query: { labelSelector: selectorText(memberSelector(name)) },
      }),
    ]);
    return {
      workload: workload === undefined ? undefined : workloadOf(workload),
      members: (Listed.parse(pods).items ?? []).flatMap(memberIn),
    };
  }

  /**
   * Unlike a deletion, an eviction is refused while another client, such as a drain, has another member away. Preconditions
   * let a pod alone that was created again or labelled primary since it was read.
   */
  async evict({ namespace, name, database, uid, resourceVersion }: FreshMember): Promise<Eviction> {
    const key = ownerOf({ namespace, database });
    const path = item(resources.pods, namespace, name);
    const deleteOptions = { preconditions: { uid, resourceVersion } };
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
    try {
      await this.client.create(`${path}/eviction`, eviction);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404 || error.status === 409) return { kind: "changed" };
      // 500: more than one budget is about the pod
      if (error.status === 429 || error.status === 500) return this.#forbidden(key, path, error.message);
      throw error;
    }
    this.#refusals.get(key)?.delete(path);
    return { kind: "begun" };
  }

  forget(key: Key): void {
    this.#refusals.delete(key);
  }

  /** Right after a member came back its budget may not know it yet; one of another owner may forbid it for long. */
  #forbidden(key: Key, path: string, message: string): Eviction {
    const ofDatabase = this.#refusals.get(key) ?? new Map<string, number>();
    const refusals = ofDatabase.get(path) ?? 0;
    this.#refusals.set(key, ofDatabase.set(path, refusals + 1));
    return { kind: "forbidden", message, afterMs: Math.min(longestPauseMs, firstPauseMs * 2 ** refusals) };
  }
}

/** The pause after a refusal, which doubles, and the longest, in milliseconds. */
const firstPauseMs = 500;
const longestPauseMs = 30_000;

function memberIn(pod: unknown): FreshMember[] {
  const member = podOf(pod)?.member;
  return member === undefined ? [] : [{ ...member, resourceVersion: versionOf(pod) }];
}
