// The page docs/parameters.md, from the tables of the servers and the classes of their parameters: each one, and what it would do.
import { availableEngines } from "../../components/engines/available";
import {
  namesIn,
  parameterClasses,
  type ParameterBound,
  type ParameterCatalogue,
  type ParameterDescription,
  type ParameterGroup,
} from "../../components/engines/parameter-classes";
import { factsOf } from "../../contract/engines";

/** An engine on the page. */
interface Chapter extends ParameterCatalogue {
  readonly title: string;
}

const chapters: readonly Chapter[] = availableEngines.map(({ name, parameters }) => ({
  title: factsOf(name).title,
  ...parameters,
}));

const intro = `# Parameters

Generated from \`components/engines/*/classes.ts\` and the tables beside them by \`make generate\`. Do not edit.

Every parameter of each engine has a class, with a reason; the class decides whether \`spec.config\` takes it. How to set them, and what follows when
one changes: [change parameters](databases/parameters.md). In PostgreSQL, names with a dot are those of extensions or of applications: they are taken
as they are. What is refused here can often be set for one role, one database or one session.`;

/** The page, not formatted yet. */
export function parametersPage(): string {
  const classes = Object.values(parameterClasses).map(
    ({ title, isTaken, text }) => `| ${title} | ${isTaken ? "taken" : "refused"} | ${text} |`,
  );
  const legend = table("| Class | | What it would do |", classes);
  return `${[intro, legend, ...chapters.flatMap(chapterText)].join("\n\n")}\n`;
}

function chapterText(chapter: Chapter): string[] {
  const { title, groups, bounds } = chapter;
  const isTaken = (group: ParameterGroup): boolean => parameterClasses[group.class].isTaken;
  const limited = [...bounds].sort(([left], [right]) => (left < right ? -1 : 1));
  return [
    `## ${title}`,
    `### Refused (${title})`,
    table(
      "| Class | Parameters | Why, and what to do |",
      groups.filter((group) => !isTaken(group)).map(refusedRow(chapter)),
    ),
    `### Taken within bounds (${title})`,
    table(
      "| Parameter | Taken | Beyond that | Why |",
      limited.map(([name, bound]) => boundRow(name, bound, kindOf(name, chapter))),
    ),
    `### Taken (${title})`,
    table(
      `| Parameter | Values | Class | About |`,
      groups.filter(isTaken).flatMap((group) => takenRows(group, chapter)),
    ),
  ];
}

const table = (head: string, rows: readonly string[]): string =>
  [head, head.replace(/[^|]+/g, " --- "), ...rows].join("\n");

const refusedRow =
  ({ tables, groupOf }: Chapter) =>
  (group: ParameterGroup): string => {
    const known = [...new Set([...tables.values()].flatMap(Object.keys))].filter((name) => groupOf(name) === group);
    const names = [...new Set([...namesIn(group), ...known])].sort();
    return `| ${parameterClasses[group.class].title} | ${names.map(code).join(", ")} | ${group.reason} |`;
  };

function takenRows(group: ParameterGroup, chapter: Chapter): string[] {
  const { tables, groupOf } = chapter;
  const names = new Set([...tables.values()].flatMap(Object.keys).filter((name) => groupOf(name) === group));
  return [...names].sort().map((name) => {
    const { restart } = kindOf(name, chapter);
    const versions = [...tables].filter(([, known]) => Object.hasOwn(known, name)).map(([version]) => version);
    const only = versions.length < tables.size ? ` (${versions.join(", ")})` : "";
    const { title } = parameterClasses[restart === true ? "restart" : "safe"];
    return `| ${code(name)}${only} | ${valuesText(kindOf(name, chapter))} | ${title} | ${group.reason} |`;
  });
}

/** What the newest server that has it says of a parameter. */
function kindOf(name: string, { tables }: Chapter): ParameterDescription {
  const found = [...tables.values()].reverse().find((known) => Object.hasOwn(known, name));
  return found?.[name] ?? {};
}

function boundRow(name: string, bound: ParameterBound<ParameterDescription>, kind: ParameterDescription): string {
  const { within, excludes, requires, or } = bound;
  const taken = [
    ...(within === undefined ? [] : [valuesText({ ...kind, ...within })]),
    ...(or === undefined ? [] : [`or ${or}`]),
    ...(excludes === undefined ? [] : [`without ${code(excludes)}`]),
    ...(requires === undefined ? [] : [`with ${code(requires)}`]),
  ];
  return `| ${code(name)} | ${taken.join(", ")} | ${parameterClasses[bound.class].title} | ${bound.reason} |`;
}

function valuesText({ type, unit = "", min, max, values }: ParameterDescription): string {
  if (values !== undefined)
    return values
      .filter((value) => value !== "")
      .map(code)
      .join(", ");
  if (min !== undefined || max !== undefined) {
    return [
      ...(min === undefined ? [] : [`from ${min}${unit}`]),
      ...(max === undefined ? [] : [`to ${max}${unit}`]),
    ].join(" ");
  }
  return type === "bool" || type === "boolean" ? "on or off" : (type ?? "");
}

const code = (text: string): string => `\`${text}\``;
