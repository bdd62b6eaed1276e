// Which parameters of MongoDB may be set, what their values must be, and whether a running server takes them over.
// Names with a dot are options of the configuration file; the others are server parameters.
import type { Settings } from "../../settings";
import type { ParameterProblem, StartParameters } from "../engine";
import { sortedByName } from "../sorted";
import { known, type ParameterKind } from "./known-parameters";
import { computedParametersOf } from "./memory";

/** Parameters that decide whether members find and trust each other, or where their data are. */
const reserved: readonly (readonly [RegExp, string])[] = [
  [
    /^net\.(port|bindIp|bindIpAll|ipv6|unixDomainSocket\..*)$/,
    "the Services and the members need it as it is; remove it",
  ],
  [/^net\.tls\./, "connections are not encrypted by this operator; remove it"],
  [/^replication\.oplogSizeMB$/, "the server reads it on an empty volume only; run replSetResizeOplog instead"],
  [/^(replication|sharding)\./, "the members agree on it among themselves; remove it"],
  [
    /^security\.(keyFile|authorization|clusterAuthMode|transitionToAuth|ldap|kmip|redact)/,
    "the members' trust depends on it; remove it",
  ],
  [/^storage\.(dbPath|engine|directoryPerDB|journal|inMemory)/, "existing data depend on it; remove it"],
  [/^storage\.wiredTiger\.engineConfig\.directoryForIndexes$/, "existing data depend on it; remove it"],
  [
    /^systemLog\.(destination|path|logAppend|logRotate|syslogFacility)$/,
    "logs go to the container's output; remove it",
  ],
  [/^(processManagement|auditLog|snmp|cloud)\./, "it has no effect in a container; remove it"],
  [/^setParameter\./, "write the parameter's name alone, without setParameter"],
  [
    /^(enableLocalhostAuthBypass|authenticationMechanisms|enableTestCommands)$/,
    "the members' trust depends on it; remove it",
  ],
  [/^(shutdownTimeoutMillisForSignaledShutdown|featureCompatibilityVersion)$/, "the members set it; remove it"],
];

/** What is wrong with `config`, in the order of the names. The table is that of the release series 7.0. */
export function parameterProblems(config: Readonly<Record<string, string>>): ParameterProblem[] {
  return Object.entries(config)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([parameter, value]) => {
      const problem = problemOf(parameter, value);
      return problem === undefined ? [] : [{ parameter, message: `parameter "${parameter}" ${problem}` }];
    });
}

function problemOf(parameter: string, value: string): string | undefined {
  const rule = reserved.find(([pattern]) => pattern.test(parameter));
  if (rule !== undefined) return `cannot be set: ${rule[1]}`;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) {
    return "is none of those that can be set: docs/mongodb.md has their names, spelled as MongoDB spells them";
  }
  const problem = valueProblem(value, kind);
  return problem && `is "${value}": it ${problem}`;
}

function valueProblem(value: string, kind: ParameterKind): string | undefined {
  switch (kind.type) {
    case "boolean":
      return value === "true" || value === "false" ? undefined : 'must be "true" or "false"';
    case "choice":
      return kind.values.includes(value) ? undefined : `must be one of ${kind.values.join(", ")}`;
    case "integer":
      return /^-?\d{1,15}$/.test(value) ? rangeProblem(Number(value), kind) : "must be a whole number";
    case "number":
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(value) ? rangeProblem(Number(value), kind) : "must be a number";
  }
}

function rangeProblem(
  value: number,
  { min, max }: { readonly min: number; readonly max?: number },
): string | undefined {
  if (value < min) return `must be at least ${min}`;
  return max !== undefined && value > max ? `must be at most ${max}` : undefined;
}

/** Parameters in effect, the user's over the computed ones, sorted by name. */
export function parametersOf(settings: Settings): Record<string, string> {
  return sortedByName({ ...computedParametersOf(settings.resources), ...settings.config });
}

const needsRestart = (name: string): boolean => known[name]?.restart !== false;

/** What comes with a member's pod: the parameters in effect that a member takes over only by a restart. */
export const startParametersOf = (settings: Settings): StartParameters => chosen(settings, ({ restart }) => restart);

/** What running members are told. */
export const wantedOf = (settings: Settings): unknown => ({
  replicas: settings.replicas,
  parameters: chosen(settings, ({ restart }) => !restart),
});

function chosen(settings: Settings, isChosen: (parameter: StartParameters[string]) => boolean): StartParameters {
  const all = Object.entries(parametersOf(settings)).map(([name, value]): [string, StartParameters[string]] => [
    name,
    { value, restart: needsRestart(name) },
  ]);
  return Object.fromEntries(all.filter(([, parameter]) => isChosen(parameter)));
}
