// What MongoDB requires of the configuration of a replica set, and of a step from one to the next.
import { z } from "zod";
import { refusals, type CommandError } from "./errors";

const Member = z.looseObject({
  _id: z.int().min(0),
  host: z.string(),
  priority: z.number().default(1),
  votes: z.union([z.literal(0), z.literal(1)]).default(1),
});

/** A configuration, as clients send it and members keep it. */
export const SetConfiguration = z.looseObject({
  _id: z.string(),
  version: z.int(),
  term: z.int().default(-1),
  members: z.array(Member).min(1),
});
export type SetConfiguration = z.infer<typeof SetConfiguration>;

/** The hosts that vote. */
export const votersIn = ({ members }: SetConfiguration): string[] =>
  members.filter(({ votes }) => votes === 1).map(({ host }) => host);

/** How many of a configuration's voters are a majority. */
export const majorityIn = (configuration: SetConfiguration): number =>
  Math.floor(votersIn(configuration).length / 2) + 1;

/** Negative when `left` is older than `right`: the term counts first, then the version. */
export const compareAge = (left: SetConfiguration, right: SetConfiguration): number =>
  left.term - right.term || left.version - right.version;

/** Why no set may have this configuration; undefined when one may. */
export function problemOf(configuration: SetConfiguration): CommandError | undefined {
  const { members } = configuration;
  const voters = votersIn(configuration).length;
  const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
  const complaints: readonly (readonly [boolean, string])[] = [
    [!isUnique(members.map(({ _id }) => _id)), "Found two member configurations with the same _id field"],
    [!isUnique(members.map(({ host }) => host)), "Found two member configurations with the same host field"],
    [members.length > 50, "Replica set configuration contains more than 50 members"],
    [voters < 1 || voters > 7, `Replica set configuration contains ${voters} voting members, but must be 1 to 7`],
    [members.some(({ votes, priority }) => votes === 0 && priority > 0), "Priority must be 0 when non-voting"],
    [members.every(({ priority }) => priority === 0), "Replica set configuration must contain an electable member"],
  ];
  const found = complaints.find(([applies]) => applies);
  return found && refusals.invalidConfiguration(found[1]);
}

/** Why the step from `before` to `after` is refused when it is not forced; undefined when it is allowed. */
export function stepProblemOf(before: SetConfiguration, after: SetConfiguration): CommandError | undefined {
  if (compareAge(after, before) <= 0) {
    return refusals.incompatibleConfiguration(
      "New replica set configuration version and term must be greater than old",
    );
  }
  if (after._id !== before._id) {
    return refusals.incompatibleConfiguration("New and old configurations differ in replica set name");
  }
  const renumbered = after.members.some(({ host, _id }) =>
    before.members.some((member) => member.host === host && member._id !== _id),
  );
  if (renumbered) return refusals.incompatibleConfiguration("New and old configurations differ in the _id of a host");
  const numbers = (configuration: SetConfiguration): number[] =>
    configuration.members.filter(({ votes }) => votes === 1).map(({ _id }) => _id);
  const [old, next] = [numbers(before), numbers(after)];
  const gone = old.filter((number) => !next.includes(number));
  const come = next.filter((number) => !old.includes(number));
  if (gone.length + come.length > 1) {
    const message = "Non force replica set reconfig can only add or remove at most 1 voting member.";
    return refusals.invalidConfiguration(message);
  }
  return undefined;
}
