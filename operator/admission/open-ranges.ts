// Which of the Services of a Database are open to all addresses. Pure.
import type { DatabaseSpec } from "../api/spec";

type Services = NonNullable<DatabaseSpec["services"]>;
const names = ["readWrite", "readOnly", "any"] as const satisfies readonly (keyof Services)[];

/** Of ranges that come and have every address in them, as sentences. */
export function openWarnings(before: DatabaseSpec | undefined, after: DatabaseSpec): readonly string[] {
  return names.flatMap((name) => {
    const known = before?.services?.[name]?.loadBalancerSourceRanges ?? [];
    const ranges = after.services?.[name]?.loadBalancerSourceRanges ?? [];
    return ranges
      .filter((range) => range.endsWith("/0") && !known.includes(range))
      .map(
        (range) =>
          `spec.services.${name}.loadBalancerSourceRanges: ${range} lets every address connect, and its connections may not be encrypted; write the ranges of its clients`,
      );
  });
}
