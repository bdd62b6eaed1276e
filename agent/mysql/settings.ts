// What a member reads from its environment.
import { readFileSync } from "node:fs";
import { domainOf } from "../domain";
import { optionalJson, required, requiredNumber } from "../environment";
import { Parameters } from "./configuration";
import { ordinalOf } from "./observation";

/** Settings of a member that never change while its pod lives. */
export interface MemberSettings {
  /** Name of the Database. */
  readonly database: string;
  readonly namespace: string;
  /** Name of this member's pod. */
  readonly self: string;
  /** The host name by which the other members reach this one, without the name of the pod, such as "db-headless.shop.svc.cluster.local". */
  readonly domain: string;
  /** Where the server listens. */
  readonly serverPort: number;
  /** Where agents listen. */
  readonly agentPort: number;
  /** The volume of the data. */
  readonly volume: string;
  /** Directory of the server's socket. */
  readonly runDirectory: string;
  readonly passwords: { readonly superuser: string; readonly replication: string };
  /** Parameters that came with the pod: what its server starts with, whatever is wanted by then. */
  readonly startParameters: Parameters;
  /** What the pod may use, in bytes; infinite where an earlier operator's pod does not say. */
  readonly memory: number;
}

/** Reads them. Throws an Error that names what is missing. */
export function memberSettings(): MemberSettings {
  const self = required("POD_NAME");
  if (Number.isNaN(ordinalOf(self))) throw new Error(`POD_NAME is "${self}": it must end in a number`);
  return {
    database: required("DATABASE_NAME"),
    namespace: required("POD_NAMESPACE"),
    self,
    domain: domainOf(self, readFileSync("/etc/hosts", "utf8")),
    serverPort: requiredNumber("SERVER_PORT"),
    agentPort: requiredNumber("AGENT_PORT"),
    volume: required("DATA_VOLUME"),
    runDirectory: required("RUN_DIRECTORY"),
    passwords: { superuser: required("SUPERUSER_PASSWORD"), replication: required("REPLICATION_PASSWORD") },
    startParameters: Parameters.parse(optionalJson("START_PARAMETERS") ?? {}),
    memory: process.env["MEMORY_LIMIT"] === undefined ? Infinity : requiredNumber("MEMORY_LIMIT"),
  };
}
