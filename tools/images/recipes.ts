// What there is to build: each image with a Dockerfile in images/<name>/, and how its server shows its version.
import { agentContents } from "./agent";
import type { Contents } from "./contents";
import type { Suite } from "./debian";
import { operatorContents } from "./operator";
import type { EngineName } from "../../contract/engines";
import { pauseContents } from "./pause";

/** What the server in an image cannot do of what its engine can. */
export interface ServerLimits {
  /** The most members. */
  readonly replicas?: number;
  /** False where it takes no parameters. */
  readonly config?: false;
}

/** How one image is built. */
export interface Recipe {
  /** What it is called here. */
  name: string;
  /** Its directory below images/. Default: its name. */
  directory?: string;
  /** Arguments of the Dockerfile, by name. Default: those in it. */
  arguments?: Readonly<Record<string, string>>;
  /** Set for what is built only when it is asked for: another version, which most clusters do without. */
  extra?: true;
  /** What the image is called. */
  repository: string;
  /** Set when the Dockerfile starts from Debian. */
  debian: boolean;
  /** Which Debian. Default: `DEFAULT_SUITE`. */
  suite?: Suite;
  /** Programs that come from outside of its directory. */
  contents?: Contents;
  /** The database server inside, if any: a shell command that prints a line with its version, and what the server cannot do. */
  server?: { engine: EngineName; versionCommand: string; limits?: ServerLimits };
  /** What it takes the data of a server over to, and from which version: shell commands like that. Missing: it is no image of a major upgrade. */
  upgrade?: { engine: EngineName; versionCommand: string; fromCommand: string };
}

/** The Debian of most images. */
export const DEFAULT_SUITE: Suite = "trixie";

const postgresqlServer: Recipe["server"] = {
  engine: "postgresql",
  versionCommand: "/usr/lib/postgresql/*/bin/postgres --version",
};

/** Another image of PostgreSQL's Dockerfile. */
function postgresqlWith(name: string, values: Readonly<Record<string, string>>): Omit<Recipe, "repository"> {
  return {
    name,
    directory: "postgresql",
    arguments: values,
    extra: true,
    debian: true,
    contents: agentContents("postgresql"),
  };
}

/** PostgreSQL of another Debian suite than that of the base. */
const otherPostgresql = (name: string, values: Readonly<Record<string, string>>): Recipe => ({
  ...postgresqlWith(name, values),
  repository: "database-operator-postgresql",
  server: postgresqlServer,
});

/** For the Jobs of a major upgrade alone, with the programs of the version before beside its own: no version that a Database can have. */
const postgresqlUpgrade = (name: string, { to, from, suite }: { to: string; from: string; suite: string }): Recipe => ({
  ...postgresqlWith(name, { FORMER_MAJOR: from, FORMER_SUITE: suite }),
  repository: "database-operator-postgresql-upgrade",
  upgrade: { engine: "postgresql", versionCommand: versionOfMajor(to), fromCommand: versionOfMajor(from) },
});

const versionOfMajor = (major: string): string => `/usr/lib/postgresql/${major}/bin/postgres --version`;

/** All images, in building order. Of an engine the version that most should use comes first. */
export const RECIPES: readonly Recipe[] = [
  { name: "pause", repository: "database-operator-pause", debian: false, contents: pauseContents },
  {
    name: "postgresql",
    repository: "database-operator-postgresql",
    debian: true,
    contents: agentContents("postgresql"),
    server: postgresqlServer,
  },
  otherPostgresql("postgresql-15", { POSTGRESQL_MAJOR: "15", SUITE: "bookworm" }),
  // the minor that the suite had before its security updates, where there were any
  otherPostgresql("postgresql-15-earlier", { POSTGRESQL_MAJOR: "15", SUITE: "bookworm", MINOR: "oldest" }),
  postgresqlUpgrade("postgresql-17-from-15", { to: "17", from: "15", suite: "bookworm" }),
  otherPostgresql("postgresql-18", { POSTGRESQL_MAJOR: "18", SUITE: "unstable" }),
  {
    name: "mysql",
    repository: "database-operator-mysql",
    debian: true,
    suite: "unstable",
    contents: agentContents("mysql"),
    // "mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))": the release series counts
    server: { engine: "mysql", versionCommand: "mysqld --version" },
  },
  {
    name: "ferretdb",
    repository: "database-operator-ferretdb",
    debian: true,
    contents: agentContents("mongodb", ["ferretdb", "mongodump", "mongorestore"]),
    server: {
      engine: "mongodb",
      versionCommand: "echo $MONGODB_SERIES",
      limits: { replicas: 1, config: false },
    },
  },
  { name: "operator", repository: "database-operator", debian: true, contents: operatorContents },
];

/** Where the Dockerfile of `recipe` is, below images/. */
export function directoryOf({ name, directory }: Pick<Recipe, "name" | "directory">): string {
  return directory ?? name;
}

/** Images on top of official ones, which cannot be had without a registry: only what they are built from is built here. */
export const ELSEWHERE: readonly Pick<Recipe, "name" | "repository" | "contents">[] = [
  { name: "mongodb", repository: "database-operator-mongodb", contents: agentContents("mongodb") },
];

/** The first X.Y in what a server prints about itself, as in "postgres (PostgreSQL) 17.6 (Debian 17.6-0+deb13u1)". */
export function versionIn(printed: string): string {
  const version = /\b\d+\.\d+\b/.exec(printed)?.[0];
  if (version === undefined) throw new Error(`no version in: ${printed}`);
  return version;
}
