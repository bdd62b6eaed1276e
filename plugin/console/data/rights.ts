// Whether the person may approve, asked before the button is shown. What counts is the API server's answer to the approval itself.
import { z } from "zod";
import { approvalVerb } from "../../../contract/approvals";
import { databaseResource } from "../../../contract/resources";
import { collectionOf, kinds } from "../../cluster/paths";
import { ApiFailure, type Cluster } from "../../command/world";
import type { Place } from "./read";

const Answer = z.object({ status: z.object({ allowed: z.boolean() }) });

/** What is missing of what an approval needs; none where it cannot be told: the API server says it then. */
export async function missingForApproval(cluster: Cluster, place: Place): Promise<readonly string[]> {
  const verbs = [approvalVerb, "patch"];
  const may = await Promise.all(verbs.map((verb) => isAllowed(cluster, place, verb)));
  return verbs.filter((_, index) => may[index] === false);
}

async function isAllowed(cluster: Cluster, { namespace, name }: Place, verb: string): Promise<boolean | undefined> {
  const { group, plural: resource } = databaseResource;
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { namespace, name, verb, group, resource } },
  };
  try {
    return Answer.safeParse(await cluster.create(collectionOf(kinds.accessReviews), body)).data?.status.allowed;
  } catch (error) {
    if (error instanceof ApiFailure && error.status !== 401) return undefined;
    throw error;
  }
}
