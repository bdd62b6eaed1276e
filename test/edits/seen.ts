// What was seen of the members' pods, for people: the evidence beside what a judge has against it.
import type { Sighting } from "./pod-history";

/** A line for each member, such as "shop-1: 0.3 s 5f1c replica ready; 4.0 s 5f1c replica ending; 4.1 s 5f1c gone". `from`, `to`: milliseconds since 1970. */
export function seenBetween(sightings: readonly Sighting[], { from, to }: { from: number; to: number }): string[] {
  const within = sightings.filter(({ at }) => at > from && at <= to);
  const names = [...new Set(within.map(({ name }) => name))].sort();
  return names.map((name) => {
    const own = within.filter((sighting) => sighting.name === name);
    const seen = own.map((sighting) => ({ sighting, text: stateOf(sighting) }));
    const changes = seen.filter(({ text }, index) => text !== seen[index - 1]?.text);
    const lines = changes.map(({ sighting, text }) => `${((sighting.at - from) / 1000).toFixed(1)} s ${text}`);
    return `${name}: ${lines.join("; ")}`;
  });
}

function stateOf({ uid, role, isScheduled, isReady, isEnding, isGone }: Sighting): string {
  const words = isGone
    ? ["gone"]
    : [role, isScheduled ? "" : "without a node", isReady ? "ready" : "", isEnding ? "ending" : ""];
  return [uid.slice(0, 4), ...words].filter((word) => word !== "").join(" ");
}
