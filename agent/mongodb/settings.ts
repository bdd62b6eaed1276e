// What a member of a MongoDB database reads from its environment.
import { readFileSync } from "node:fs";
import { domainOf, ordinalOf } from "../domain";
import { optionalJson, required, requiredNumber } from "../environment";
import { Parameters } from "./wanted";

/**
 * The server in the image: `mongod`, or FerretDB, which speaks MongoDB's protocol and has no replica sets. The image says
 * which one it has.
 */
export type ServerKind = "mongod" | "ferretdb";

/** Settings of a member that never change while its pod lives. */
export interface MemberSettings {
  readonly server: ServerKind;
  /** Name of the Database, and of its replica set. */
  readonly database: string;
  readonly namespace: string;
  /** Name of this member's pod. */
  readonly self: string;
  readonly ordinal: number;
  /** The host names of members, without the name of the pod. */
  readonly domain: string;
  readonly serverPort: number;
  readonly agentPort: number;
  /** Where metrics are served; undefined where they are off. */
  readonly metricsPort: number | undefined;
  /** The volume of the data. */
  readonly volume: string;
  /** A directory in memory, for files that must not outlive the pod. */
  readonly runDirectory: string;
  readonly administratorPassword: string;
  /** What the members' common key is made from. */
  readonly keySecret: string;
  /** Parameters that came with the pod: what its server starts with, whatever is wanted by then. */
  readonly startParameters: Parameters;
}

/** Reads them. Throws an Error that names what is missing. */
export function memberSettings(): MemberSettings {
  const self = required("POD_NAME");
  return {
    server: serverKind(),
    database: required("DATABASE_NAME"),
    namespace: required("POD_NAMESPACE"),
    self,
    ordinal: ordinalOf(self),
    domain: domainOf(self, readFileSync("/etc/hosts", "utf8")),
    serverPort: requiredNumber("SERVER_PORT"),
    agentPort: requiredNumber("AGENT_PORT"),
    metricsPort: process.env["METRICS_PORT"] === undefined ? undefined : requiredNumber("METRICS_PORT"),
    volume: required("DATA_VOLUME"),
    runDirectory: required("RUN_DIRECTORY"),
    administratorPassword: required("SUPERUSER_PASSWORD"),
    keySecret: required("KEY_SECRET"),
    startParameters: Parameters.parse(optionalJson("START_PARAMETERS") ?? {}),
  };
}

/** The server that the image names in MONGODB_SERVER. */
export function serverKind(): ServerKind {
  const name = process.env["MONGODB_SERVER"] ?? "mongod";
  if (name !== "mongod" && name !== "ferretdb") throw new Error(`MONGODB_SERVER is "${name}": use mongod or ferretdb`);
  return name;
}

/** The address of the member with this ordinal, as the replica set's configuration names it. */
export const hostOf = ({ database, domain, serverPort }: MemberSettings, ordinal: number): string =>
  `${database}-${ordinal}.${domain}:${serverPort}`;
