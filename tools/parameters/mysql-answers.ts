// Reads what a MySQL server answered to the questions of mysql.ts.

/** The answers, each a text of lines. */
export interface Answers {
  /** Name, scope, type, least and greatest value, apart by tabs. */
  readonly metadata: string;
  /** The options of the server's command line, one a line, each with its value. */
  readonly options: string;
  /** Complaints about setting each to the value that it has. */
  readonly same: string;
  /** Name, number and value of enumerations that were set to the number, apart by tabs. */
  readonly values: string;
}

/** One parameter, as components/engines/mysql/values.ts takes it. */
interface Parameter {
  readonly type: "bool" | "enum" | "integer" | "real" | "string";
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly restart?: true;
}

const types: Readonly<Record<string, Parameter["type"]>> = {
  Boolean: "bool",
  Integer: "integer",
  Numeric: "real",
  Enumeration: "enum",
};

/** Parameters by name, sorted. */
export function parametersFrom(answers: Answers): Record<string, Parameter> {
  const options = new Set(answers.options.split("\n").map((line) => (line.split(/\s/)[0] ?? "").replaceAll("-", "_")));
  const readOnly = new Set(
    Array.from(answers.same.matchAll(/Variable '(\w+)' is a read only variable/g), ([, name]) => name),
  );
  const values = valuesIn(answers.values);
  const entries = answers.metadata
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([name = "", scope]) => name !== "" && scope !== "SESSION_ONLY" && options.has(name))
    .map(([name = "", , type = "", min = "", max = ""]): [string, Parameter] => {
      const restart = readOnly.has(name) ? { restart: true as const } : {};
      return [name, { ...kindOf(types[type] ?? "string", { min, max, values: values.get(name) }), ...restart }];
    });
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

interface Limits {
  readonly min: string;
  readonly max: string;
  readonly values: readonly string[] | undefined;
}

function kindOf(type: Parameter["type"], { min, max, values }: Limits): Parameter {
  switch (type) {
    case "integer":
    case "real":
      return { type, ...(min !== "" && { min: Number(min) }), ...(max !== "" && { max: Number(max) }) };
    case "enum":
      // one that cannot be set while the server runs does not show its values
      return values === undefined ? { type: "string" } : { type, values };
    case "bool":
    case "string":
      return { type };
  }
}

function valuesIn(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^(\w+)\t\d+\t(\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    found.set(name, [...new Set([...(found.get(name) ?? []), value])]);
  }
  return found;
}
