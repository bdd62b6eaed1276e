// The configuration of a replica set as the server keeps it, and the single steps by which it changes.
import { z } from "zod";

/** The most members of a replica set that may vote; the server refuses more. */
export const maxVoters = 7;

const Member = z.looseObject({
  _id: z.number(),
  host: z.string(),
  priority: z.number().default(1),
  votes: z.number().default(1),
});

/** The configuration of a replica set. What is not read here is kept as it is: people may have set it. */
export const Configuration = z.looseObject({ _id: z.string(), version: z.number(), members: z.array(Member) });
export type Configuration = z.infer<typeof Configuration>;

/** What one step does to one member. */
export type Change =
  | { readonly kind: "add"; readonly host: string }
  | { readonly kind: "grantVote"; readonly host: string }
  | { readonly kind: "dropVote"; readonly host: string }
  | { readonly kind: "remove"; readonly host: string };

/** The configuration of a set that one member begins with. */
export function initialConfiguration(setName: string, host: string): Configuration {
  return { _id: setName, version: 1, members: [{ _id: 0, host, priority: 1, votes: 1 }] };
}

/** `configuration` after the change, with the next version. A member that is added has neither vote nor priority. */
export function changed(configuration: Configuration, change: Change): Configuration {
  return { ...configuration, version: configuration.version + 1, members: membersAfter(configuration.members, change) };
}

function membersAfter(members: Configuration["members"], change: Change): Configuration["members"] {
  const voting = (votes: 0 | 1): Configuration["members"] =>
    members.map((member) => (member.host === change.host ? { ...member, votes, priority: votes } : member));
  switch (change.kind) {
    case "add":
      return [...members, { _id: freeNumber(members), host: change.host, priority: 0, votes: 0 }];
    case "grantVote":
      return voting(1);
    case "dropVote":
      return voting(0);
    case "remove":
      return members.filter(({ host }) => host !== change.host);
  }
}

/** One more than the highest: the number of a removed member must not name another. */
const freeNumber = (members: Configuration["members"]): number => Math.max(-1, ...members.map(({ _id }) => _id)) + 1;

/** The hosts that vote, in the order of the configuration. */
export const votersOf = ({ members }: Configuration): string[] =>
  members.filter(({ votes }) => votes > 0).map(({ host }) => host);

/** How many of `count` voters are a majority. */
export const majorityOf = (count: number): number => Math.floor(count / 2) + 1;
