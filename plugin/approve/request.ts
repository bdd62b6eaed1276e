// The approval as the API server takes it: an annotation with the whole digest, and the name of the person. And how it is taken back.
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { itemOf, kinds, collectionOf } from "../cluster/paths";
import { programFile } from "../command/name";
import { ApiFailure, type Cluster } from "../command/world";

export interface Approval {
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  /** Whether windows do not matter. */
  readonly isNow: boolean;
  /** Who approves, by the API server's name; the operator's webhook adds it where it is not known here. */
  readonly user: string | undefined;
}

/** Rejects with an ApiFailure for a refusal. A trial is judged as the real one, and writes nothing. */
export function approve(cluster: Cluster, approval: Approval, isTrial: boolean): Promise<unknown> {
  const { namespace, name, digest, isNow, user } = approval;
  const annotations = {
    [isNow ? approvalKeys.now : approvalKeys.approve]: digest,
    ...(user !== undefined && { [approvalKeys.by]: user }),
  };
  const query = { fieldManager: programFile, ...(isTrial && { dryRun: "All" }) };
  return cluster.patch(itemOf(kinds.databases, namespace, name), { metadata: { annotations } }, query);
}

/**
 * Takes an approval back: the annotations go from the Database that was looked at. Returns what stands against it where it is another one by
 * now, as its status changes often; rejects with an ApiFailure for a refusal.
 */
export async function withdraw(
  cluster: Cluster,
  { namespace, name, resourceVersion }: Pick<Approval, "namespace" | "name"> & { readonly resourceVersion: string },
): Promise<ApiFailure | undefined> {
  const annotations = { [approvalKeys.approve]: null, [approvalKeys.now]: null, [approvalKeys.by]: null };
  const body = { metadata: { resourceVersion, annotations } };
  try {
    await cluster.patch(itemOf(kinds.databases, namespace, name), body, { fieldManager: programFile });
    return undefined;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 409) return error;
    throw error;
  }
}

/** How often it is tried where the Database changes meanwhile. */
export const mostWithdrawals = 5;

const Review = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/** By which name the API server knows the person; undefined where it does not say. */
export async function whoAsks(cluster: Cluster): Promise<string | undefined> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  try {
    const answer = await cluster.create(collectionOf(kinds.reviews), body);
    return Review.safeParse(answer).data?.status.userInfo.username;
  } catch (error) {
    if (error instanceof ApiFailure && error.status !== 0) return undefined;
    throw error;
  }
}
