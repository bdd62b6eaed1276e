// How the server of a member is started. Pure.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { cleanEnvironment } from "../supervise/run";
import type { Program } from "../supervise/supervisor";
import { administrator } from "./ports";
import { hostOf, type MemberSettings, type ServerKind } from "./settings";
import { typedValue, type Parameters } from "./wanted";

/** Where a member keeps its files. */
export interface Files {
  readonly data: string;
  /** Beside the data, so that it goes with them. */
  readonly token: string;
  readonly key: string;
  readonly options: string;
}

/** Where the data of a server are on its volume. */
export const dataIn = (volume: string, server: ServerKind): string => join(volume, server);

/** Where the member with these settings keeps its files. */
export const filesOf = ({ volume, runDirectory, server }: MemberSettings): Files => ({
  data: dataIn(volume, server),
  token: join(volume, "replica-set-token"),
  key: join(runDirectory, "members.key"),
  options: join(runDirectory, "mongod.json"),
});

/** The key by which members trust each other. The server accepts only base64 characters, so it is not the secret itself. */
export const memberKeyOf = (secret: string): string =>
  createHash("sha256").update(`members of a replica set: ${secret}`).digest("base64");

/**
 * The configuration file of `mongod`: JSON, which is YAML too. It has no parameters that a running server applies: the
 * member sets those then, and so knows their earlier values.
 */
export function mongodOptions(settings: MemberSettings, parameters: Parameters): string {
  const files = filesOf(settings);
  const chosen = Object.entries(parameters).filter(([, { restart }]) => restart);
  const options: Tree = {};
  for (const [name, { value }] of chosen) put(options, pathOf(name), typedValue(value));
  const fixed: readonly (readonly [string, Leaf])[] = [
    ["net.port", settings.serverPort],
    ["net.bindIpAll", true],
    ["net.unixDomainSocket.enabled", false],
    ["storage.dbPath", files.data],
    ["replication.replSetName", settings.database],
    ["security.keyFile", files.key],
    ["security.authorization", "enabled"],
    // a member that stops has handed over before: only clients that know of it remain
    ["setParameter.shutdownTimeoutMillisForSignaledShutdown", 2000],
  ];
  for (const [name, value] of fixed) put(options, name.split("."), value);
  return JSON.stringify(options, null, 2);
}

type Leaf = string | number | boolean;
interface Tree {
  [key: string]: Leaf | Tree;
}

const pathOf = (name: string): string[] => (name.includes(".") ? name.split(".") : ["setParameter", name]);

function put(tree: Tree, path: readonly string[], value: Leaf): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) {
    tree[first] = value;
    return;
  }
  const below = tree[first];
  const next = typeof below === "object" ? below : {};
  tree[first] = next;
  put(next, rest, value);
}

/** The program of the server. Secrets go by file or environment, never as arguments. */
export function programOf(settings: MemberSettings): Program {
  const files = filesOf(settings);
  if (settings.server === "mongod") {
    return {
      command: "mongod",
      args: ["--config", files.options],
      environment: cleanEnvironment(),
      restartCode: never,
      isComplaint: (line) => /"s":"[EF]"/.test(line),
    };
  }
  return {
    command: "ferretdb",
    args: [],
    environment: cleanEnvironment(ferretdbEnvironment(settings)),
    restartCode: never,
    isComplaint: (line) => /\b(ERROR|FATAL|error:)/.test(line),
  };
}

/** No server here asks to be started again. */
const never = -1;

function ferretdbEnvironment(settings: MemberSettings): Record<string, string> {
  const { data } = filesOf(settings);
  return {
    ...ferretdbOn(data, settings.administratorPassword),
    // it reports the name under which it listens to clients
    FERRETDB_LISTEN_ADDR: hostOf(settings, settings.ordinal),
    FERRETDB_REPL_SET_NAME: settings.database,
  };
}

/** What FerretDB has wherever it runs, beside where it listens. It makes the administrator itself. */
export const ferretdbOn = (data: string, administratorPassword: string): Record<string, string> => ({
  FERRETDB_HANDLER: "sqlite",
  FERRETDB_SQLITE_URL: `file:${data}/`,
  FERRETDB_STATE_DIR: data,
  FERRETDB_TEST_ENABLE_NEW_AUTH: "true",
  FERRETDB_SETUP_DATABASE: "admin",
  FERRETDB_SETUP_USERNAME: administrator,
  FERRETDB_SETUP_PASSWORD: administratorPassword,
  FERRETDB_DEBUG_ADDR: "-",
  FERRETDB_TELEMETRY: "disable",
  FERRETDB_LOG_LEVEL: "warn",
});
