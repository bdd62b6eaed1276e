// Makes an observation: asks the own server, the peers and the Kubernetes API. What does not answer is unknown, not an error.
import { z } from "zod";
import { Configuration } from "./configuration";
import type { MemberHealth, Observation, Peer, ServerState, SetView } from "./observation";
import { maxMembers } from "../../contract/limits";
import { refusalCodes, refusalOf, type Member, type PodView } from "./ports";

const Hello = z.looseObject({
  isWritablePrimary: z.boolean().default(false),
  secondary: z.boolean().default(false),
  isreplicaset: z.boolean().default(false),
  setName: z.string().optional(),
  // a server with replica sets says who it is, or that it belongs to none
  me: z.string().optional(),
  primary: z.string().optional(),
  hosts: z.array(z.string()).default([]),
});

/** What a server's answer to `hello` says. */
export function serverStateOf(answer: unknown): ServerState {
  const hello = Hello.parse(answer);
  if (hello.setName === undefined) return { kind: hello.isreplicaset ? "unconfigured" : "standalone" };
  if (hello.me === undefined) return { kind: "standalone" };
  if (hello.isWritablePrimary) return { kind: "primary" };
  if (!hello.secondary) return { kind: "between" };
  const { primary, hosts: electable } = hello;
  return { kind: "secondary", electable, ...(primary !== undefined && { primary }) };
}

/**
 * All that a decision needs at the moment. Throws only for the unforeseen, such as an answer of another shape.
 * What only the beginning of a set needs is asked then: in steady state a member does not call the Kubernetes API.
 */
export async function observe(member: Member): Promise<Observation> {
  const { identity, servers, cluster, volume } = member;
  const server = await stateOf(servers.asNobody({ hello: 1 }));
  const begins = server.kind === "unconfigured" && identity.ordinal === 0;
  const leads = server.kind === "primary";
  const administrator = leads ? await administratorOf(member) : "unknown";
  const set = administrator === "present" ? await setOf(member) : undefined;
  const wanted = asksForWanted(server) ? await orUndefined(cluster.wanted()) : undefined;
  const record = begins ? await orUndefined(cluster.record()) : undefined;
  return {
    ...identity,
    host: identity.hostOf(identity.ordinal),
    wanted,
    server,
    administrator,
    record: record ?? { kind: "unknown" },
    token: begins ? await volume.token() : undefined,
    peers: begins ? await allPeers(member) : await missingPeers(member, set, wanted ?? 0),
    set,
  };
}

/** A member that follows a primary leaves it to that one. */
const asksForWanted = (server: ServerState): boolean =>
  server.kind === "primary" || (server.kind === "secondary" && server.primary === undefined);

async function stateOf(asked: Promise<unknown>): Promise<ServerState> {
  const answer = await orUndefined(asked);
  return answer === undefined ? { kind: "unreachable" } : serverStateOf(answer);
}

const orUndefined = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

async function administratorOf({ servers }: Member): Promise<Observation["administrator"]> {
  try {
    await servers.asAdministrator({ ping: 1 });
    return "present";
  } catch (error) {
    const refused = refusalOf(error);
    const unknownUser = refused === refusalCodes.authenticationFailed || refused === refusalCodes.unauthorized;
    return unknownUser ? "missing" : "unknown";
  }
}

const allOrdinals = Array.from({ length: maxMembers }, (_, ordinal) => ordinal);

/** Every pod that exists. Without the Kubernetes API all are taken to run, so that their silence is a reason to wait. */
async function allPeers(member: Member): Promise<Peer[]> {
  const pods = await orUndefined(member.cluster.pods());
  const views = pods ?? allOrdinals.map((ordinal) => ({ ordinal, running: true }));
  const others = views.filter(({ ordinal }) => ordinal !== member.identity.ordinal);
  return Promise.all(others.map((view) => peerOf(member, view)));
}

/** Those that a primary may have to add. */
function missingPeers(member: Member, set: SetView | undefined, wanted: number): Promise<Peer[]> {
  if (set === undefined) return Promise.resolve([]);
  const present = new Set(set.configuration.members.map(({ host }) => host));
  const missing = allOrdinals.slice(0, wanted).filter((ordinal) => !present.has(member.identity.hostOf(ordinal)));
  return Promise.all(missing.map((ordinal) => peerOf(member, { ordinal, running: true })));
}

async function peerOf({ identity, servers }: Member, view: Pick<PodView, "ordinal" | "running">): Promise<Peer> {
  const host = identity.hostOf(view.ordinal);
  const { ordinal, running } = view;
  return { ordinal, running, host, server: await stateOf(servers.peer(host, { hello: 1 })) };
}

const CommittedConfiguration = z.looseObject({ config: Configuration, commitmentStatus: z.boolean() });
const Status = z.looseObject({
  members: z.array(z.looseObject({ name: z.string(), health: z.number().default(1), state: z.number() })),
});

/** MongoDB's number of the state SECONDARY. */
const secondaryState = 2;

/** Undefined where the server stopped being the primary meanwhile. */
async function setOf({ servers }: Member): Promise<SetView | undefined> {
  try {
    const status = Status.parse(await servers.asAdministrator({ replSetGetStatus: 1 }));
    const answer = await servers.asAdministrator({ replSetGetConfig: 1, commitmentStatus: true });
    const { config, commitmentStatus } = CommittedConfiguration.parse(answer);
    const health = status.members.map(({ name, health: up, state }): [string, MemberHealth] => [
      name,
      { reachable: up === 1, isSecondary: up === 1 && state === secondaryState },
    ]);
    return { configuration: config, committed: commitmentStatus, health: new Map(health) };
  } catch (error) {
    if (refusalOf(error) !== undefined) return undefined;
    throw error;
  }
}
