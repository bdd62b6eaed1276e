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

/** What holds in previews, and the sentence that says whose it is. */
export interface HeldPolicies {
  readonly policies: PlatformPolicies;
  readonly source: string;
}

/** `wanted`: the text of a releasePolicy that there would be; `own`: of this machine, where the operator's are not known. Throws for what is no policy. */
export function policiesHeld(
  deployed: PlatformPolicies | undefined,
  own: PlatformPolicies,
  wanted: string | undefined,
): HeldPolicies {
  const source =
    deployed === undefined
      ? "What waits is told by the policies of this machine's environment: the operator's Deployment is not there, or may not be read."
      : `What waits is told by the policies of the Deployment ${operatorName} as it runs, not by those of the stack's settings.`;
  const policies = deployed ?? own;
  if (wanted === undefined) return { policies, source };
  return {
    policies: { ...policies, releases: releasePolicyOf(wanted) },
    source: `${source} What waits of a release: by the releasePolicy that was given.`,
  };
}

function releasePolicyOf(text: string): ChangePolicy {
  const parsed = ChangePolicy.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
  throw new Error(`this is no releasePolicy: ${problems.join("; ")}`);
}

/** A Deployment from before there was a policy has none. */
export function policiesIn(deployment: unknown): PlatformPolicies {
  const variables = Deployment.parse(deployment).spec.template.spec.containers.flatMap(({ env }) => env);
  const policyIn = (name: string): ChangePolicy => {
    const text = variables.find((variable) => variable.name === name)?.value ?? "{}";
    const parsed = ChangePolicy.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new Error(`${name} of the operator's Deployment is no policy`);
  };
  return {
    policy: policyIn("DATABASE_OPERATOR_CHANGE_POLICY"),
    releases: policyIn("DATABASE_OPERATOR_RELEASE_POLICY"),
  };
}
