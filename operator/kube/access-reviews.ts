// Asks the API server whether a person may do something: the operator judges no rights itself.
import { z } from "zod";
import { databaseResource } from "../../contract/resources";
import type { KubeClient } from "./client";
import { collection, resources } from "./paths";

/** Who, as the API server authenticated them. */
export interface Subject {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What is done to which Database. */
export interface Attributes {
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
}

const Review = z.object({ status: z.object({ allowed: z.boolean(), denied: z.boolean().default(false) }) });

export const createAccessReviews =
  (client: Pick<KubeClient, "create">) =>
  async ({ username, uid, groups, extra }: Subject, { name, ...attributes }: Attributes): Promise<boolean> => {
    const { group, plural } = databaseResource;
    // the API server authorizes a creation before it knows the name: rights on that name alone allow none
    const named = attributes.verb === "create" ? {} : { name };
    const answer = await client.create(collection(resources.subjectAccessReviews), {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        ...{ user: username, uid, groups, extra },
        resourceAttributes: { group, resource: plural, ...attributes, ...named },
      },
    });
    const { allowed, denied } = Review.parse(answer).status;
    return allowed && !denied;
  };
