// Names as they are written behind a verb, or in a flag.
import { databaseResource } from "../../contract/resources";
import { Trouble } from "./trouble";

const { group, kind, plural } = databaseResource;
/** What `-o name` prints in front of a name, and what kubectl takes there. */
const types: ReadonlySet<string> = new Set(
  [plural, kind.toLowerCase(), "db"].flatMap((type) => [type, `${type}.${group}`]),
);

/** The name of `orders` or `database/orders`. Throws a Trouble for what cannot be one: it would lead elsewhere in the API. */
export function nameIn(given: string, what: string): string {
  const [type = "", ...rest] = given.split("/");
  const name = rest.length === 1 && types.has(type) ? (rest[0] ?? "") : given;
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) return name;
  throw given === ""
    ? new Trouble(`the ${what} is empty: is a variable not set?`)
    : new Trouble(`"${given}" is no ${what}: it has lower-case letters, digits and -`);
}
