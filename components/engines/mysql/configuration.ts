// What the members' agent reads: how many members there must be, and the parameters in effect. Those that come with a pod are in it, so
// that they fit it; the others are in a ConfigMap, and running members apply them.
import type { MemberConfiguration, MemberParameter } from "../../../contract/member";
import { isArchived } from "../../archiving";
import { mebibyte } from "../../quantities";
import type { Settings } from "../../settings";
import { knownFor } from "./known-parameters";
import type { StartParameters } from "../engine";
import { sizedParametersOf } from "./sizes";
import { sortedByName } from "../sorted";
import { valueOf } from "./values";

/**
 * What comes with a member's pod: parameters that only a start applies, and those that follow from the pod's size. What users say of the
 * latter counts more, and reaches running members.
 */
export function startParametersOf({ version, resources, config }: Settings): StartParameters {
  const sized = sizedParametersOf(resources);
  const chosen = Object.entries(parametersFor(version, config)).filter(([, { restart }]) => restart);
  return sortedByName({
    ...parametersFor(version, { ...sized, ...userConnections(sized) }),
    ...Object.fromEntries(chosen),
  });
}

/** The capacity of a member's redo log, in bytes: as much of its volume is taken up by it. */
export function redoLogBytesOf({ version, resources, config }: Settings): number {
  const { innodb_redo_log_capacity: chosen } = parametersFor(version, { ...sizedParametersOf(resources), ...config });
  return Number(chosen?.value);
}

/** What running members apply. */
function runningParametersOf({ version, config }: Settings): StartParameters {
  const all = parametersFor(version, { ...constant, ...userConnections(config), ...config });
  return sortedByName(Object.fromEntries(Object.entries(all).filter(([, { restart }]) => !restart)));
}

function parametersFor(version: string, texts: Readonly<Record<string, string>>): StartParameters {
  const known = knownFor(version);
  const entries = Object.entries(texts).map(([name, text]): [string, MemberParameter] => {
    const kind = known[name] ?? { type: "string", restart: true };
    return [name, { value: valueOf(text, kind), restart: kind.restart === true }];
  });
  return Object.fromEntries(entries);
}

/** The same for every database, where the user says nothing else. */
const constant: Readonly<Record<string, string>> = {
  // A member that was away for longer copies all data. Where the volume gets full, members remove the oldest sooner, whole files at a time.
  binlog_expire_logs_seconds: "86400",
  max_binlog_size: String(128 * mebibyte),
  // Without it applications could create neither triggers nor functions; rows are replicated, so what these do cannot differ.
  log_bin_trust_function_creators: "ON",
};

/** No account takes all connections: the members' own must have room. */
function userConnections({ max_connections = "" }: Readonly<Record<string, string>>): Record<string, string> {
  const all = valueOf(max_connections, { type: "integer" });
  return typeof all === "number" ? { max_user_connections: String(Math.max(1, all - 20)) } : {};
}

/** The text of the ConfigMap's key `member.json`. */
export function memberConfigurationOf(settings: Settings): string {
  const { replicas, superuserAccess } = settings;
  // without the last two, as it is where the user did not set them, the text stays the same
  const archived = isArchived(settings) ? true : undefined;
  const parameters = runningParametersOf(settings);
  const wanted: MemberConfiguration = { replicas, parameters, superuserAccess, archived };
  return JSON.stringify(wanted);
}
