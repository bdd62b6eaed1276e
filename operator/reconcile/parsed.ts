// Databases are parsed once for each version of them that the watch sends: every event of a child asks for them.
import { parseDatabase, type ParsedDatabase } from "../api/object";

const known = new WeakMap<object, ParsedDatabase>();

/** The object as a Database, or what is wrong with it. Objects are not changed after they came. */
export function parsedOf(object: unknown): ParsedDatabase {
  if (typeof object !== "object" || object === null) return parseDatabase(object);
  const parsed = known.get(object) ?? parseDatabase(object);
  known.set(object, parsed);
  return parsed;
}
