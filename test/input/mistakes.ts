// The twenty commonest mistakes in a Database, and what kubectl must show for each: the field, and what to write instead.
import { engineNames } from "../../contract/engines";

export interface Mistake {
  /** Default: a good one. */
  readonly name?: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly says: readonly string[];
}

const good = { engine: "postgresql", version: "17.6" };
const wrong = (fields: Readonly<Record<string, unknown>>, ...says: readonly string[]): Mistake => ({
  spec: { ...good, ...fields },
  says,
});
const named = (name: string, ...says: readonly string[]): Mistake => ({ name, spec: good, says });
const size = "must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi";
const version = 'must be two numbers with a dot between them, in quotes, for example "17.6"';

export const mistakes: Readonly<Record<string, Mistake>> = {
  "the engine is left out": { spec: { version: "17.6" }, says: ["spec.engine: Required value"] },
  "the engine has another name": wrong(
    { engine: "postgres" },
    ...["spec.engine: Unsupported value", ...engineNames.map((name) => `"${name}"`)],
  ),
  "the version is not in quotes": wrong({ version: 17.6 }, "spec.version", "must be of type string"),
  "the version has no minor": wrong({ version: "17" }, "spec.version: Invalid value", version),
  "the version has three parts": wrong({ version: "17.6.1" }, "spec.version: Invalid value", version),
  "the replicas are in quotes": wrong({ replicas: "3" }, "spec.replicas", "must be of type integer"),
  "there are too many replicas": wrong({ replicas: 11 }, "spec.replicas", "should be less than or equal to 10"),
  "there are no replicas": wrong({ replicas: 0 }, "spec.replicas", "should be greater than or equal to 1"),
  "the storage has another unit": wrong({ storage: "100GB" }, "spec.storage: Invalid value", size),
  "the storage has no unit": wrong({ storage: 100 }, "spec.storage", "must be of type string"),
  "a field is misspelt": wrong({ replcas: 3 }, 'unknown field "spec.replcas"'),
  "a field is at the wrong level": wrong({ resources: { memory: "1Gi" } }, 'unknown field "spec.resources.memory"'),
  "a parameter is a number": wrong(
    { config: { max_connections: 200 } },
    ...["spec.config.max_connections", "must be of type string"],
  ),
  "a parameter has two lines": wrong(
    { config: { search_path: "a\nb" } },
    "spec.config[search_path]: Invalid value: ",
    "must be a single line without control characters",
  ),
  "the memory has another unit": wrong(
    { resources: { limits: { memory: "4G" } } },
    ...["spec.resources.limits.memory: Invalid value", "with Ki, Mi, Gi or Ti", "such as 512Mi or 4Gi"],
  ),
  "a request is above its limit": wrong(
    { resources: { requests: { cpu: "2" }, limits: { cpu: "500m" } } },
    ...[
      "spec.resources.requests.cpu: Invalid value",
      "must not exceed limits.cpu: lower the request or raise the limit",
    ],
  ),
  "the schedule is a macro": wrong(
    { backup: { schedule: "@daily" } },
    ...["spec.backup.schedule: Invalid value", "must be five cron fields (minute hour day month weekday)", "0 2 * * *"],
  ),
  "backups are switched on as a word": wrong({ backup: true }, "spec.backup", "must be of type object"),
  "the name has a dot": named(
    "my.postgres",
    ...["metadata.name: Invalid value", "must begin with a lower-case letter, hold only a-z, 0-9 and -"],
  ),
  "the name is too long": named("a".repeat(46), "metadata.name: Invalid value", "must have at most 45 characters"),
};
