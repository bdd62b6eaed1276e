// The text of docs/rights.md: who may do what, and why.
import { jobAccountName } from "../../../components/naming";
import { isClusterScoped } from "../../../infra/permissions";
import { tenantRoles } from "../../../infra/tenants";
import { rulesElsewhere, rulesInOwn, rulesOfMembers, rulesOfPreviews, type NamedRule } from "./granted";
import { exceptions, reasons } from "./reasons";
import { factsOf } from "../../../contract/engines";
import { apiServerAuthentication } from "../../../contract/platform";
import { previewResource } from "../../../contract/resources";
import { maxMembers } from "../../../contract/limits";
import { resourcesIn, type Scope } from "./right";

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n");
}

const code = (text: string): string => `\`${text}\``;

/** `only leader, sync`; empty where a rule is about all objects. */
function namesText({ resourceNames = [] }: NamedRule): string {
  if (resourceNames.length === 0) return "";
  const isPods = resourceNames.length === maxMembers && resourceNames[0]?.endsWith("-0");
  const names = isPods ? [resourceNames[0] ?? "", "…", resourceNames.at(-1) ?? ""] : resourceNames;
  return `only ${names.map(code).join(", ")}`;
}

const rowsOf = (rules: readonly NamedRule[]): (readonly [resource: string, verbs: string, names: string])[] =>
  rules.flatMap((rule) =>
    resourcesIn(rule).map((resource) => [resource, rule.verbs.join(", "), namesText(rule)] as const),
  );

const operatorTable = (scope: Scope, rules: readonly NamedRule[]): string =>
  table(
    ["Resource", "Verbs", "Limited to", "Why"],
    rowsOf(rules).map(([resource, verbs, names]) => [
      code(resource),
      verbs,
      names,
      reasons[`${scope} ${resource}`] ?? "",
    ]),
  );

const membersTable = (rules: readonly NamedRule[]): string =>
  table(
    ["Resource", "Verbs", "Limited to"],
    rowsOf(rules).map(([resource, verbs, names]) => [code(resource), verbs, names]),
  );

/** A table, with what its rules show beyond the Database: to list cannot be limited to names or by label. */
function membersText(title: string, rules: readonly NamedRule[]): string {
  const seesAll = (kind: string): boolean =>
    rules.some(
      ({ resources, verbs, resourceNames }) =>
        resources.includes(kind) && verbs.includes("list") && resourceNames === undefined,
    );
  if (seesAll("configmaps"))
    return `${title}:\n\n${membersTable(rules)}\n
To list and watch cannot be limited by label: **these members can read every ConfigMap and see every pod of their namespace**. They read no
Secret by the API; their passwords come as environment.`;
  const pods = seesAll("pods") ? ", whose members see every pod of their namespace as well" : "";
  return `${title}${pods}:\n\n${membersTable(rules)}`;
}

function tenantTable(): string {
  const rows = Object.entries(tenantRoles).flatMap(([name, { addsTo, rules }]) =>
    rules.flatMap((rule) =>
      resourcesIn(rule).map((resource) => [
        code(`database-operator-${name}`),
        addsTo.map(code).join(", "),
        code(resource),
        rule.verbs.join(", "),
      ]),
    ),
  );
  return table(["ClusterRole", "Adds to", "Resource", "Verbs"], rows);
}

/** The page, before it is formatted. */
export function rightsPage(): string {
  const unseen = Object.entries(exceptions).map(([right, why]) => `- ${code(right)}: ${why}.`);
  return `# Rights

Who may do what at the Kubernetes API, and why. This page is generated from the rules that are installed (\`infra/permissions.ts\`,
\`infra/tenants.ts\`, \`components/engines\`) and from the reasons in \`test/judges/rights/reasons.ts\`; \`make generate\` writes it.
There are no wildcards. How to limit the operator to some namespaces is in [security](platform/security.md#what-the-operator-may-do).

## The operator

ServiceAccount \`database-operator\` in the operator's namespace. What it may do where Databases are: in all namespaces by a
ClusterRole, or with \`watchNamespaces\` by a Role in each of these.

${operatorTable(
  "elsewhere",
  rulesElsewhere.filter((rule) => !isClusterScoped(rule)),
)}

In no namespace, always by the ClusterRole. With \`watchNamespaces\`, \`namespaces\` is limited to these.

${operatorTable("elsewhere", rulesElsewhere.filter(isClusterScoped))}

In its own namespace, by the Roles \`database-operator-records\` and \`database-operator-leader-election\`:

${operatorTable("own", rulesInOwn)}

\`make test\` puts together what the API server's audit logs of all its clusters say of the operator, and fails where it holds a
right that was neither used nor is handed on to members, or was refused one. To apply (server-side) is \`patch\`, and \`create\`
too where the object is new. These are held without being seen there:

${unseen.join("\n")}

With the setting \`previewApi\`, and not without it, by the ClusterRole \`database-operator-preview-api\`; it may read the ConfigMap
\`${apiServerAuthentication.configMap}\` of \`${apiServerAuthentication.namespace}\`, too, which says by what the API server is known:

${operatorTable("elsewhere", rulesOfPreviews)}

## Members of a Database

ServiceAccount, Role and RoleBinding \`<name>\` in the Database's namespace. The token is mounted in the members' pods alone.

${[...rulesOfMembers].map(([engine, rules]) => membersText(factsOf(engine).title, rules)).join("\n\n")}

## Jobs: initialization and backups

ServiceAccount \`${jobAccountName("<name>")}\`. It has no Role, and no token is mounted: these pods talk to the database alone.

## People

${tenantTable()}

They end at the namespace of the RoleBinding. No one needs a right on what a Database is made of, and no one gets one.
With the setting \`previewApi\` everyone who is authenticated may create \`${previewResource.plural}.${previewResource.group}\`: the operator answers
only those who may write the Database.
A right on a companion is a right on Databases of that namespace, deletion included: the operator makes and applies them for it.
`;
}
