// Whether all members could be in places of their own, where that is required. Pure.
import type { PodWish } from "../domain/pod-wish";
import type { NodeOffer } from "./nodes";
import { couldTake, type PinnedVolume } from "./placement";

/** In words, one of them. */
const placeNames: Readonly<Record<string, string>> = {
  "kubernetes.io/hostname": "node",
  "topology.kubernetes.io/zone": "zone",
  "topology.kubernetes.io/region": "region",
};

/**
 * Undefined where they could, or need not. `volumes`: by member, of those that not every node can reach. Where members are now does not count:
 * each one that moves leaves its place to the next.
 */
export function separationProblem(
  wanted: PodWish,
  nodes: readonly NodeOffer[],
  volumes: readonly (PinnedVolume | undefined)[],
): string | undefined {
  const { apart } = wanted;
  if (apart === undefined) return undefined;
  const { topologyKey, members } = apart;
  const places = Array.from({ length: members }, (_, member) =>
    nodes.filter((node) => couldTake(node, wanted, volumes[member])).map((node) => node.labels[topologyKey]),
  );
  // a node without the label is in no place that another member could have taken
  const bound = places.filter((of) => !of.includes(undefined)).map((of) => new Set(of));
  const free = members - bound.length;
  const found = free + matched(bound);
  if (found >= members) return undefined;
  const place = placeNames[topologyKey] ?? `place by ${topologyKey}`;
  const many = found === 1 ? "only 1 finds" : `only ${found} find`;
  return `of ${members} members ${many} a ${place} of its own, which spec.placement.antiAffinity requires`;
}

type Place = string | undefined;

/** How many of those who choose can have one of their own, by paths along which those before move on. */
function matched(choices: readonly ReadonlySet<Place>[]): number {
  const taken = new Map<Place, number>();
  const settles = (chooser: number, tried: Set<Place>): boolean =>
    [...(choices[chooser] ?? [])].some((place) => {
      if (tried.has(place)) return false;
      tried.add(place);
      const holder = taken.get(place);
      if (holder !== undefined && !settles(holder, tried)) return false;
      taken.set(place, chooser);
      return true;
    });
  return choices.filter((_, chooser) => settles(chooser, new Set())).length;
}
