// What the application may not make in a Database, looked for before anything is read: else the load would fail at it, after all the rows.
import { z } from "zod";
import type { Session } from "../server/connection";

/** One kind of it. */
interface Kind {
  readonly what: string;
  /** What a person does about it at the source. */
  readonly mend: string;
  /** Servers that can have it, as in `server_version_num`. */
  readonly since: number;
  /** Its query: a name in each row. */
  readonly names: string;
}

/** Objects of users have higher numbers than those that initdb makes. */
const firstOfUsers = 16_384;

/** Of no extension: what those have comes with them. */
const ownOf = (catalogue: string, alias: string): string => `${alias}.oid >= ${firstOfUsers} AND NOT EXISTS (
  SELECT FROM pg_catalog.pg_depend d
  WHERE d.classid = 'pg_catalog.${catalogue}'::pg_catalog.regclass AND d.objid = ${alias}.oid AND d.deptype = 'e'
)`;

const kinds: readonly Kind[] = [
  {
    what: "policies for single roles, which do not come along",
    mend: "make them for PUBLIC, or drop them",
    since: 90_500,
    names: `SELECT p.polname || ' on ' || p.polrelid::pg_catalog.regclass::pg_catalog.text FROM pg_catalog.pg_policy p
      WHERE p.polroles <> '{0}'`,
  },
  {
    what: "event triggers",
    mend: "drop them",
    since: 90_300,
    names: `SELECT t.evtname FROM pg_catalog.pg_event_trigger t WHERE ${ownOf("pg_event_trigger", "t")}`,
  },
  {
    what: "foreign servers and what they need",
    mend: "drop them, with their tables",
    since: 0,
    names: `SELECT s.srvname FROM pg_catalog.pg_foreign_server s WHERE ${ownOf("pg_foreign_server", "s")}
      UNION ALL
      SELECT w.fdwname FROM pg_catalog.pg_foreign_data_wrapper w WHERE ${ownOf("pg_foreign_data_wrapper", "w")}`,
  },
  {
    what: "languages that no extension brings",
    mend: "drop them",
    since: 0,
    names: `SELECT l.lanname FROM pg_catalog.pg_language l WHERE ${ownOf("pg_language", "l")} AND l.lanname <> 'plpgsql'`,
  },
  {
    what: "functions that only a superuser makes (in C or another untrusted language, or LEAKPROOF)",
    mend: "drop them, or write them otherwise",
    since: 90_200,
    names: `SELECT p.oid::pg_catalog.regprocedure::pg_catalog.text
      FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
      WHERE (NOT l.lanpltrusted AND l.lanname <> 'sql' OR p.proleakproof) AND ${ownOf("pg_proc", "p")}`,
  },
  {
    what: "operator classes",
    mend: "drop them",
    since: 0,
    names: `SELECT o.opcname FROM pg_catalog.pg_opclass o WHERE ${ownOf("pg_opclass", "o")}`,
  },
];

const Named = z.array(z.tuple([z.string()]));

/** How many of a kind are named: the message of a pod is short. */
const mostNamed = 5;

/** Which of them there are, as a sentence; undefined where none is. */
export async function obstaclesOf(session: Session): Promise<string | undefined> {
  const found: string[] = [];
  for (const { what, mend, since, names } of kinds) {
    if (session.version < since) continue;
    const all = Named.parse(await session.rows(names)).map(([name]) => name);
    if (all.length === 0) continue;
    const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : "";
    found.push(`${what}: ${all.slice(0, mostNamed).join(", ")}${more}; ${mend}`);
  }
  return found.length === 0
    ? undefined
    : `the source has what the user app may not make in a Database, and nothing was read: ${found.join(". ")}. Do so at the source and delete the Job`;
}
