// What becomes of clients outside of the cluster. Pure.
import { anyMemberServiceName, readOnlyServiceName, readWriteServiceName } from "../../components/naming";
import type { DatabaseSpec } from "../api/spec";
import { canonical } from "../objects/json";
import type { Facts } from "./circumstances";
import { exposure, type Consequence } from "./consequence";

type Name = keyof NonNullable<DatabaseSpec["services"]>;

const services: readonly (readonly [Name, (name: string) => string])[] = [
  ["readWrite", readWriteServiceName],
  ["readOnly", readOnlyServiceName],
  ["any", anyMemberServiceName],
];

/** The ranges whose clients reach a Service from outside of the cluster; none where it has no load balancer. */
const rangesIn = (spec: DatabaseSpec, service: Name): readonly string[] =>
  spec.services?.[service]?.loadBalancerSourceRanges ?? [];

/** Those who lose their way count as if the database were away: for them it is. */
export function outsideAccess({ name, specs: { before, after } }: Facts): Consequence[] {
  if (before === undefined) return [];
  return services.flatMap(([service, nameOf]) => [
    ...ofService(nameOf(name), rangesIn(before, service), rangesIn(after, service)),
    ...ofMetadata(nameOf(name), before.services?.[service], after.services?.[service]),
  ]);
}

type Outside = NonNullable<DatabaseSpec["services"]>[Name];

/** Clouds and DNS take from it which address there is, if any: what they make of it cannot be seen before. */
function ofMetadata(name: string, before: Outside, after: Outside): Consequence[] {
  const areOutside = [before, after].every((service) => service?.type === "LoadBalancer");
  if (!areOutside || (isSame(before?.labels, after?.labels) && isSame(before?.annotations, after?.annotations)))
    return [];
  const message = `Service ${name} has other labels or annotations: its load balancer may get another address, or none, and the name of that may change`;
  return [{ effect: "CannotBeTold", members: [], message }];
}

const isSame = (before: Readonly<Record<string, string>> = {}, after: typeof before = {}): boolean =>
  canonical(before) === canonical(after);

function ofService(name: string, before: readonly string[], after: readonly string[]): Consequence[] {
  const gone = before.filter((range) => !after.includes(range));
  const come = after.filter((range) => !before.includes(range));
  const opened =
    before.length === 0 ? `Service ${name} gets an address outside of the cluster` : `Service ${name} is opened`;
  const closed = after.length === 0 ? `Service ${name} loses its address outside of the cluster: ` : "";
  return [
    ...(gone.length > 0
      ? [away(`${closed}clients of ${gone.join(", ")} do not reach ${name} any more, unless another range has them`)]
      : []),
    ...(come.length > 0 ? [exposure(`${opened}: clients of ${come.join(", ")} may connect`)] : []),
  ];
}

const away = (message: string): Consequence => ({ effect: "Downtime", members: [], message });
