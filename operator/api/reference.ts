// Writes the reference page of the API from the schemas: every field, condition and reason, so that none can be forgotten.
import { backupApiVersion, BackupSpec } from "./backups/object";
import { BACKUP_CONDITION_TEXTS, BackupStatus } from "./backups/status";
import { companionKinds } from "./companions/crd";
import { apiVersionOf as companionApiVersion, CompanionStatus, type CompanionKind } from "./companions/kind";
import { API_VERSION } from "./crd";
import { REASON_TEXTS, type ReasonGroup } from "./reasons";
import { revisionApiVersion } from "./revisions/object";
import { RevisionSpec } from "./revisions/spec";
import { RevisionStatus } from "./revisions/status";
import { RULES_KEY } from "./rules";
import { schemaOf, type Schema } from "./schema";
import { DatabaseSpec, NAME_RULES } from "./spec";
import { versionStepRules } from "./version-steps";
import { CONDITION_TEXTS, DatabaseStatus } from "./status";
import { backupResource, databaseResource, revisionResource } from "../../contract/resources";
import { apiVersionOf, BETA_NAMES } from "./versions";

const GROUP_TITLES: Readonly<Record<ReasonGroup, string>> = {
  good: "All is well",
  progress: "At work",
  stalled: "A person must act, or an input must appear",
  pending: "Of the condition ChangePending",
  failure: "An attempt failed; it is repeated",
  initialization: "Of the condition Initialized",
  repair: "Something was restored; reported in events",
  renewed: "Of TLS; reported in events",
  upgraded: "Of a major upgrade that has ended; reported in events",
  restored: "Of a restore or an import that has ended; reported in events",
  backup: "Of the condition BackupReady",
  verification: "Of the condition BackupVerified",
  archive: "Of the condition ArchiveReady",
  execution: "Of a DatabaseBackup, which has those of BackupReady as well",
  storage: "Of the condition StorageReady; StorageGrown is reported in events",
  replication: "Of the condition ReplicationReady",
  monitoring: "Of the condition MonitoringReady",
};

const INTRODUCTION = `# Database: API reference

<!-- Generated from operator/api by \`make generate\`. Do not edit. -->

\`apiVersion: ${API_VERSION}\`, \`kind: ${databaseResource.kind}\`, short name \`db\`. The smallest one:

\`\`\`yaml
apiVersion: ${API_VERSION}
kind: ${databaseResource.kind}
metadata:
  name: my-postgres
spec:
  engine: postgresql
  version: "17.6" # one that the operator's catalogue has
\`\`\`

Where the operator runs in the cluster, \`${apiVersionOf("v1beta1")}\` is served, too. It is the same but for one name, and either version
can be used for any Database: ${betaNames()}.

\`kubectl explain database.spec\` prints the same texts. The API server refuses what breaks a rule, and says what to write.
`;

/** The fields that are called differently in v1beta1. */
function betaNames(): string {
  const names = Object.entries(BETA_NAMES).map(([name, beta]) => `\`spec.${name}\` is called \`spec.${beta}\` there`);
  return names.join(", ");
}

/** One field of the API with its full path, such as \`spec.backup.schedule\`. */
export interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Every field below \`schema\`, parents before children. */
export function fieldsOf(schema: Schema, path: string): Field[] {
  const items = schema.items ? fieldsOf(schema.items, `${path}[]`) : [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => [
    { path: `${path}.${name}`, schema: child, required: schema.required?.includes(name) ?? false },
    ...fieldsOf(child, `${path}.${name}`),
  ]);
  return [...properties, ...items];
}

/** The whole page, in Markdown. */
export function referencePage(): string {
  const spec = schemaOf(DatabaseSpec);
  return [
    INTRODUCTION,
    section("metadata.name", NAME_RULES.map(({ message }) => `- It ${message}.`).join("\n")),
    section("spec", specTable(fieldsOf(spec, "spec"))),
    section(
      "Rules between versions of one object",
      `${versionStepRules("engine")
        .map(({ message }) => `- ${code("spec.version")}: ${message}.`)
        .join("\n")}\n${onTheWhole(spec)}`,
    ),
    section("status", statusTable(fieldsOf(schemaOf(DatabaseStatus), "status"))),
    section(
      "Conditions",
      table(
        ["Type", "Meaning"],
        Object.entries(CONDITION_TEXTS).map(([type, text]) => [code(type), text]),
      ),
    ),
    section("Reasons", reasonTables()),
    backupSection(),
    revisionSection(),
    ...companionKinds.map(companionSection),
  ].join("\n");
}

function backupSection(): string {
  const spec = schemaOf(BackupSpec);
  const conditions = Object.entries(BACKUP_CONDITION_TEXTS).map(([type, text]) => [code(type), text]);
  return section(
    `${backupResource.kind}: spec and status`,
    `A backup of a Database that was taken or tried; applying one takes a backup, deleting one deletes none. ${code(`apiVersion: ${backupApiVersion}`)}, ${code(`kind: ${backupResource.kind}`)}, short name ${code("dbb")}.

\`\`\`yaml
spec:
  database: my-postgres
  keep: true
\`\`\`

${specTable(fieldsOf(spec, "spec"))}

Rules between versions of one object:

${onTheWhole(spec)}

${statusTable(fieldsOf(schemaOf(BackupStatus), "status"))}

${table(["Condition", "Meaning"], conditions)}`,
  );
}

function revisionSection(): string {
  return section(
    `${revisionResource.kind}: spec and status`,
    `A change of a Database that was carried out, and what came of it. The operator writes it; a person reads it, with ${code("kubectl get dbr")} or the plugin. ${code(`apiVersion: ${revisionApiVersion}`)}, ${code(`kind: ${revisionResource.kind}`)}, short name ${code("dbr")}.

${statusTable(fieldsOf(schemaOf(RevisionSpec), "spec"))}

${statusTable(fieldsOf(schemaOf(RevisionStatus), "status"))}`,
  );
}

function companionSection(companion: CompanionKind): string {
  const { kind, shortNames, description, spec, rules, example } = companion;
  const schema = schemaOf(spec);
  const mirrored = Object.keys(schemaOf(CompanionStatus).properties ?? {}).map((field) => code(`status.${field}`));
  const names = shortNames.map(code).join(", ");
  return section(
    `${kind}: spec`,
    `${description} ${code(`apiVersion: ${companionApiVersion(companion)}`)}, ${code(`kind: ${kind}`)}, short name ${names}.

\`\`\`yaml
${example}
\`\`\`

${specTable(fieldsOf(schema, "spec"))}

Its name has the rules of a Database's. Rules over several fields, and between versions of one object:

${[...rules.map(({ message }) => `- ${code("spec.version")}: ${message}.`), onTheWhole(schema)].join("\n").trimEnd()}

Its status is that of its Database, judged from its own generation: ${mirrored.join(", ")}.`,
  );
}

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}\n`;
}

function specTable(fields: readonly Field[]): string {
  const rows = fields.map(({ path, schema, required }) => [
    code(path),
    typeOf(schema),
    required ? "required" : schema.default === undefined ? "" : code(JSON.stringify(schema.default)),
    boundsOf(schema).join("; "),
    schema.description ?? "",
  ]);
  return table(["Field", "Type", "Default", "Rules", "Text"], rows);
}

function statusTable(fields: readonly Field[]): string {
  const rows = fields.map(({ path, schema }) => [code(path), typeOf(schema), schema.description ?? ""]);
  return table(["Field", "Type", "Text"], rows);
}

function onTheWhole(spec: Schema): string {
  return (spec[RULES_KEY] ?? [])
    .map(({ fieldPath, message }) => `- ${code(`spec${fieldPath ?? ""}`)}: ${message}.`)
    .join("\n");
}

function reasonTables(): string {
  const texts = new Map<string, Readonly<Record<string, string>>>(Object.entries(REASON_TEXTS));
  return Object.entries(GROUP_TITLES)
    .map(([group, title]) => {
      const rows = Object.entries(texts.get(group) ?? {}).map(([reason, text]) => [code(reason), text]);
      return `### ${title}\n\n${table(["Reason", "Why"], rows)}`;
    })
    .join("\n\n");
}

function typeOf({ type, items, additionalProperties, format }: Schema): string {
  if (items) return `list of ${items.type}s`;
  if (additionalProperties) return `map of ${additionalProperties.type}s`;
  return format === "date-time" ? "time" : type;
}

function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, maxProperties, pattern, additionalProperties } = schema;
  return [
    ...(schema.enum ? [schema.enum.map(code).join(", ")] : []),
    ...(minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : []),
    ...(pattern ? [code(pattern)] : []),
    ...(minLength === undefined ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxProperties === undefined ? [] : [`at most ${maxProperties} entries`]),
    ...(additionalProperties ? boundsOf(additionalProperties).map((bound) => `each value: ${bound}`) : []),
    ...(schema[RULES_KEY] ?? []).map(({ message }) => message),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
