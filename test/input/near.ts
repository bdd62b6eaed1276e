// Random texts composed of the pieces of right ones: where two readings of one rule part, it is there.
import { array, constantFrom, oneof, sample, string, tuple, type Arbitrary } from "fast-check";
import { complete, withValue, type Written } from "./entry";

const joined = (pieces: readonly string[], maxLength: number): Arbitrary<string> =>
  array(constantFrom(...pieces), { maxLength }).map((parts) => parts.join(""));

const number = constantFrom(
  ...["0", "1", "9", "10", "048", "128", "0.5", "1.250", "1.0001", "512", "1048576", "1048577", "99999999999"],
);
const quantity = (...units: readonly string[]): Arbitrary<string> =>
  tuple(
    constantFrom("", "", "", "", "-", " "),
    number,
    constantFrom(...units),
    constantFrom("", "", "", "", " ", "x"),
  ).map((parts) => parts.join(""));
const size = quantity("Gi", "Gi", "Gi", "Mi", "");
const cpu = quantity("m", "m", "", "", "M");
const memory = quantity("Ki", "Mi", "Gi", "Ti", "G");
const part = constantFrom("17", "6", "0", "06", "99999999", "x", "");
const version = tuple(part, constantFrom(".", ".", ".", "", ","), part, constantFrom("", "", "", ".1", " ")).map(
  (parts) => parts.join(""),
);
const name = joined(["a", "b", "1", "-", ".", "/", "_", "A", "é"], 6);

const fields: readonly (readonly string[])[] = [
  ["0", "05", "30", "59", "60"],
  ["0", "9", "23", "24"],
  ["0", "1", "15", "31"],
  ["1", "9", "12", "FEB", "NOV", "feb"],
  ["0", "3", "6", "7", "MON", "FRI", "?"],
];

/** One thing that a field of cron may hold. */
const itemOf = (values: readonly string[]): Arbitrary<string> => {
  const value = constantFrom("*", ...values);
  const range = tuple(value, value).map((ends) => ends.join("-"));
  const step = tuple(oneof(value, range), constantFrom("0", "1", "15", "30", "1000")).map((parts) => parts.join("/"));
  return oneof(value, range, range, step);
};
// most random ones are wrong in several fields, so most of these are right but for one
const schedule = constantFrom(0, 1, 2, 3, 4).chain((index) =>
  array(itemOf(fields[index] ?? []), { minLength: 1, maxLength: 2 }).map((items) =>
    ["0", "2", "*", "*", "*"].map((part, place) => (place === index ? items.join(",") : part)).join(" "),
  ),
);
const almostSchedule = array(itemOf(["0", "5"]), { minLength: 4, maxLength: 6 }).map((all) => all.join(" "));

/** For every field with a rule, what its text may be. */
const texts: Readonly<Record<string, Arbitrary<string>>> = {
  version,
  storage: size,
  "storageAutoGrow.maxSize": size,
  storageClass: name,
  "configFrom.name": name,
  "resources.requests.cpu": cpu,
  "resources.requests.memory": memory,
  "resources.limits.cpu": cpu,
  "resources.limits.memory": memory,
  "backup.schedule": oneof(almostSchedule, schedule, schedule, schedule, schedule),
  "backup.destination.volume.size": size,
  "backup.destination.volume.storageClass": name,
  "monitoring.labels.release": name,
  "config.log_line_prefix": string({ unit: "binary", maxLength: 12 }),
};

/** For every map, what a key may be. */
const keys: Readonly<Record<string, Arbitrary<string>>> = {
  config: joined(["a", "B", "1", "-", ".", "_", " ", "é"], 5),
  "monitoring.labels": joined(["a", "B", "1", "-", ".", "/", "_", "app", "example.com", "x".repeat(40)], 5),
};

/** For every field, `runs` objects that are right but, perhaps, for that field; the same ones for the same seed. */
export function nearlyRight(runs: number, seed: number): ReadonlyMap<string, readonly Written[]> {
  const options = { numRuns: runs, seed };
  const at = (path: string, value: unknown): Written => ({
    name: "shop",
    spec: withValue(complete, path.split("."), value),
  });
  const ofTexts = Object.entries(texts).map(([path, text]): [string, Written[]] => [
    `spec.${path}`,
    sample(text, options).map((found) => at(path, found)),
  ]);
  const ofKeys = Object.entries(keys).map(([path, key]): [string, Written[]] => [
    `spec.${path}`,
    sample(key, options).map((found) => at(path, Object.fromEntries([[found, "1"]]))),
  ]);
  const names = sample(name, options).map((found) => ({ name: found === "" ? "a" : found, spec: complete }));
  return new Map([...ofTexts, ...ofKeys, ["metadata.name", names]]);
}
