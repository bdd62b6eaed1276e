// A right as text, as kubectl names resources: `elsewhere statefulsets.apps patch`. Rules of Roles and audit events become it.

/** The operator's own namespace, or everything else: other namespaces, and what is in none. */
export type Scope = "own" | "elsewhere";

/** `scope resource verb`, such as `elsewhere databases.example.com/status patch`. */
export type Right = string;

/** `pods`, `statefulsets.apps` or `databases.example.com/status`. */
export function resourceName(group: string, resource: string, subresource = ""): string {
  return `${resource}${group && `.${group}`}${subresource && `/${subresource}`}`;
}

export const rightOf = (scope: Scope, resource: string, verb: string): Right => `${scope} ${resource} ${verb}`;

/** A rule of a Role, as far as it is compared: what is limited to names is a right like any other. */
export interface PlainRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The resources that a rule is about, by the name that kubectl gives them. */
export function resourcesIn({ apiGroups, resources }: Omit<PlainRule, "verbs">): string[] {
  return apiGroups.flatMap((group) =>
    resources.map((path) => {
      const [resource = "", subresource] = path.split("/");
      return resourceName(group, resource, subresource);
    }),
  );
}

/** Every right that the rules give, each once. */
export function rightsIn(scope: Scope, rules: readonly PlainRule[]): ReadonlySet<Right> {
  return new Set(
    rules.flatMap((rule) =>
      resourcesIn(rule).flatMap((resource) => rule.verbs.map((verb) => rightOf(scope, resource, verb))),
    ),
  );
}
