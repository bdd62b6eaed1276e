// What the platform says of changes, as its operator is told: for previews that are made beside it.
import { z } from "zod";
import { operatorName } from "../../contract/platform";
import { ChangePolicy } from "../api/change-policy";
import { ApiError } from "../kube/client";
import { parseJson } from "../objects/json";
import type { DryClient } from "./dry-client";
import type { PlatformPolicies } from "./policy-note";

const Variable = z.object({ name: z.string(), value: z.string().optional() });
const Containers = z.array(z.object({ env: z.array(Variable).default([]) }));
const Deployment = z.object({
  spec: z.object({ template: z.object({ spec: z.object({ containers: Containers }) }) }),
});

/** Undefined where no operator is deployed there, or the Deployment may not be read. */
export async function platformPolicies(
  client: Pick<DryClient, "find">,
  namespace: string,
): Promise<PlatformPolicies | undefined> {
  try {
    const found = await client.find(`/apis/apps/v1/namespaces/${namespace}/deployments/${operatorName}`);
    return found === undefined ? undefined : policiesIn(found);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** A Deployment from before there was a policy has none. */
export function policiesIn(deployment: unknown): PlatformPolicies {
  const variables = Deployment.parse(deployment).spec.template.spec.containers.flatMap(({ env }) => env);
  const policyIn = (name: string): ChangePolicy =>
    ChangePolicy.parse(parseJson(variables.find((variable) => variable.name === name)?.value ?? "{}"));
  return {
    policy: policyIn("DATABASE_OPERATOR_CHANGE_POLICY"),
    releases: policyIn("DATABASE_OPERATOR_RELEASE_POLICY"),
  };
}
