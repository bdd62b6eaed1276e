// The databases whose resources are recorded, one file each: those of every engine's sample.
import type { DatabaseArgs } from "../../components";
import { engineNames, type EngineName } from "../../contract/engines";
import { samples } from "../engines/all";

/** Passwords that must not be found in any golden. */
export const passwords = {
  app: "app-password-in-clear",
  superuser: "superuser-password-in-clear",
  replication: "replication-password-in-clear",
  monitor: "monitor-password-in-clear",
  rest: "rest-password-in-clear",
};

/** Case name to the arguments of `new Database("my-postgres", …)`. */
export const cases: Readonly<Record<string, DatabaseArgs>> = Object.fromEntries(engineNames.flatMap(casesOf));

function casesOf(engine: EngineName): [name: string, args: DatabaseArgs][] {
  const { version, goldens } = samples[engine];
  const image = `docker.io/library/database-operator-${engine}:${version}-0123456789ab`;
  const base = { namespace: "production", engine, version, image, passwords };
  return Object.entries(goldens).map(([name, args]) => [name, { ...base, ...args }]);
}
