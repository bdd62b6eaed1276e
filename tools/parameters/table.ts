// What a server says about its parameters, and the table of them that components/engines/postgresql reads.
import { format } from "prettier";
import { z } from "zod";

/**
 * Asks for one JSON text about every parameter; parameters of extensions have a dot in their name and are free. Of the list of
 * libraries the values are those that the image has.
 */
export const parameterQuery = `
  SELECT json_agg(json_build_object('name', lower(name), 'context', context, 'type', vartype, 'unit', unit,
    'min', min_val::float8, 'max', max_val::float8,
    'values', CASE name WHEN 'shared_preload_libraries' THEN libraries ELSE enumvals END) ORDER BY lower(name) COLLATE "C")
  FROM pg_settings, (
    SELECT array_agg(left(file, -3) ORDER BY file COLLATE "C") AS libraries
    FROM pg_config, pg_ls_dir(setting) AS file WHERE name = 'PKGLIBDIR' AND file LIKE '%.so'
  ) AS image
  WHERE pg_settings.name !~ '[.]'`;

const Parameter = z.object({
  name: z.string(),
  context: z.string(),
  type: z.enum(["bool", "enum", "integer", "real", "string"]),
  unit: z.string().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  values: z.array(z.string()).nullable(),
});

type Parameter = z.infer<typeof Parameter>;

/** The table, as a file, from the answer to `parameterQuery`. Throws when it is none. */
export async function tableOf(answer: string): Promise<string> {
  const parameters = z.array(Parameter).min(100).parse(JSON.parse(answer));
  const table = Object.fromEntries(parameters.map((parameter) => [parameter.name, kindOf(parameter)]));
  return format(JSON.stringify(table), { parser: "json", printWidth: 120 });
}

function kindOf({ context, type, unit, min, max, values }: Parameter): Record<string, unknown> {
  // what cannot be set has no bounds worth knowing; those of the version number change with every minor
  if (context === "internal") return { type, fixed: true };
  return {
    type,
    ...(unit !== null && { unit }),
    // the largest number that there is bounds nothing
    ...(min !== null && min > -Number.MAX_VALUE / 2 && { min }),
    ...(max !== null && max < Number.MAX_VALUE / 2 && { max }),
    ...(values !== null && { values }),
    ...(context === "postmaster" && { restart: true }),
  };
}
