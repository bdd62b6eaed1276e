// What there is to build: each image with a Dockerfile in images/<name>/, and how its server tells its version.
import { resolve } from "node:path";
import type { Engine } from "./catalogue";

/** How one image is built. */
export interface Recipe {
  /** Its directory below images/. */
  name: string;
  /** Set when the Dockerfile starts from Debian. */
  debian: boolean;
  /** The database server inside, if any: a shell command that prints a line with its version. */
  server?: { engine: Engine; versionCommand: string };
}

/** All images, in building order. */
export const RECIPES: readonly Recipe[] = [
  { name: "pause", debian: false },
  {
    name: "postgresql",
    debian: true,
    server: { engine: "postgresql", versionCommand: "/usr/lib/postgresql/*/bin/postgres --version" },
  },
];

/** The first X.Y in what a server prints about itself, as in "postgres (PostgreSQL) 17.6 (Debian 17.6-0+deb13u1)". */
export function versionIn(printed: string): string {
  const version = /\b\d+\.\d+\b/.exec(printed)?.[0];
  if (version === undefined) throw new Error(`no version in: ${printed}`);
  return version;
}

/** The directory of an image's Dockerfile. */
export function imageDirectory(name: string): string {
  return resolve(__dirname, "..", "..", "images", name);
}
