// Plays the engines' elections on simulated nodes: the member that is primary stays so, and when it goes another member takes over.
import { roles } from "../../components/naming";
import { ApiError, openApi, type KubernetesApi } from "../../tools/cluster/api";
import type { PodHistory, Sighting } from "./pod-history";

/** A label that a pod should have. */
export interface RoleChange {
  readonly pod: Sighting;
  readonly role: string;
}

/** What an election over the pods of one Database leads to; `primary` is the UID of the one that was, undefined where none was. */
export function electionOf(
  pods: readonly Sighting[],
  primary: string | undefined,
): { readonly primary: string | undefined; readonly changes: readonly RoleChange[] } {
  const candidates = pods.filter(({ isReady, isEnding }) => isReady && !isEnding);
  const next = candidates.find(({ uid }) => uid === primary) ?? candidates.toSorted(byName).at(-1);
  const others = pods.filter(({ uid, role }) => uid !== next?.uid && role === roles.primary);
  return {
    primary: next?.uid,
    changes: [
      ...others.map((pod) => ({ pod, role: roles.replica })),
      ...(next === undefined || next.role === roles.primary ? [] : [{ pod: next, role: roles.primary }]),
    ],
  };
}

const byName = (left: Sighting, right: Sighting): number => (left.name < right.name ? -1 : 1);

/** Holds elections for all Databases whose pods are recorded. */
export class Elections {
  readonly #api: KubernetesApi;
  readonly #pods = new Map<string, Sighting>();
  readonly #primaries = new Map<string, string | undefined>();
  #isClosed = false;

  private constructor(api: KubernetesApi) {
    this.#api = api;
  }

  /** `environment` carries cluster-admin's KUBECONFIG. */
  static async hold(history: PodHistory, { KUBECONFIG = "" }: Readonly<Record<string, string>>): Promise<Elections> {
    const elections = new Elections(await openApi(KUBECONFIG));
    history.listen((sighting) => {
      elections.#see(sighting);
    });
    return elections;
  }

  /** What is on its way then may end as it likes. */
  close(): void {
    this.#isClosed = true;
    this.#api.close();
  }

  #see(sighting: Sighting): void {
    if (this.#isClosed) return;
    const { uid, database, isGone } = sighting;
    if (isGone) this.#pods.delete(uid);
    else this.#pods.set(uid, sighting);
    const pods = [...this.#pods.values()].filter((pod) => pod.database === database);
    const { primary, changes } = electionOf(pods, this.#primaries.get(database));
    this.#primaries.set(database, primary);
    for (const change of changes) void this.#label(change);
  }

  /** A pod that went meanwhile, or was created again, has its own election. */
  async #label({ pod, role }: RoleChange): Promise<void> {
    const [namespace = ""] = pod.database.split("/");
    const change = { metadata: { uid: pod.uid, labels: { role } } };
    try {
      await this.#api.request("PATCH", `/api/v1/namespaces/${namespace}/pods/${pod.name}`, change);
    } catch (error) {
      if (this.#isClosed) return;
      // 422: a UID is never changed
      if (!(error instanceof ApiError && [404, 409, 422].includes(error.status))) throw error;
    }
  }
}
