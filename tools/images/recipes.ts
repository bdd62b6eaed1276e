// What there is to build: each image with a Dockerfile in images/<name>/, and how its server tells its version.
import type { Engine } from "./catalogue";
import type { Contents } from "./contents";
import { operatorContents } from "./operator";
import { pauseContents } from "./pause";

/** How one image is built. */
export interface Recipe {
  /** Its directory below images/. */
  name: string;
  /** What the image is called. */
  repository: string;
  /** Set when the Dockerfile starts from Debian. */
  debian: boolean;
  /** Programs that come from outside of its directory. */
  contents?: Contents;
  /** The database server inside, if any: a shell command that prints a line with its version. */
  server?: { engine: Engine; versionCommand: string };
}

/** All images, in building order. */
export const RECIPES: readonly Recipe[] = [
  { name: "pause", repository: "database-operator-pause", debian: false, contents: pauseContents },
  {
    name: "postgresql",
    repository: "database-operator-postgresql",
    debian: true,
    server: { engine: "postgresql", versionCommand: "/usr/lib/postgresql/*/bin/postgres --version" },
  },
  { name: "operator", repository: "database-operator", debian: true, contents: operatorContents },
];

/** The first X.Y in what a server prints about itself, as in "postgres (PostgreSQL) 17.6 (Debian 17.6-0+deb13u1)". */
export function versionIn(printed: string): string {
  const version = /\b\d+\.\d+\b/.exec(printed)?.[0];
  if (version === undefined) throw new Error(`no version in: ${printed}`);
  return version;
}
