// How fields change: what was, and what is asked for.
import type { JSX } from "hono/jsx/jsx-runtime";
import { Table } from "./table";
import { None } from "./words";

/** Without `before` it is new, without `after` it is removed. */
export interface ShownField {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Longest value that is shown, in characters. */
const longest = 200;

const textOf = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
};

const valueOf = (value: unknown, kind: "del" | "ins"): JSX.Element => {
  if (value === undefined) return <None />;
  return kind === "del" ? <del>{textOf(value)}</del> : <ins>{textOf(value)}</ins>;
};

export function Fields({
  label,
  fields,
}: {
  readonly label: string;
  readonly fields: readonly ShownField[];
}): JSX.Element {
  return (
    <Table
      label={label}
      headings={["Field", "Before", "After"]}
      rows={fields.map(({ path, before, after }) => [
        <code>{path}</code>,
        valueOf(before, "del"),
        valueOf(after, "ins"),
      ])}
    />
  );
}
