// Decides what a member does next for its replica set. Pure: it reads an observation and touches nothing.
import { initialConfiguration } from "./configuration";
import { nextChange } from "./membership";
import type { Observation } from "./observation";
import type { Action } from "./action";
import { maxMembers } from "../../contract/limits";
const allOrdinals = Array.from({ length: maxMembers }, (_, ordinal) => ordinal);

const wait = (why: string): Action => ({ kind: "wait", why });

/** What the member does next. */
export function decide(seen: Observation): Action {
  switch (seen.server.kind) {
    case "unreachable":
      return wait("the server does not answer yet");
    case "standalone":
      return wait("a server without replica sets has nothing to decide");
    case "secondary":
      return seen.server.primary === undefined ? leaderless(seen, seen.server.electable) : wait("another member leads");
    case "between":
      return wait("the server copies data, or looks for the others");
    case "unconfigured":
      return beginning(seen);
    case "primary":
      return leading(seen);
  }
}

/**
 * A set is begun once in its life, by member 0, on the volume whose token is in the record. A member that finds its volume
 * empty later does not begin a new set: the others have the data, and the primary adds the member again.
 */
function beginning({ ordinal, host, setName, record, token, peers }: Observation): Action {
  if (ordinal !== 0) return wait("the primary will add this member");
  const member = peers.find(({ server }) => !["unreachable", "unconfigured"].includes(server.kind));
  if (member !== undefined) return wait(`${member.host} belongs to a set, whose primary will add this member`);
  const silent = peers.find(({ server, running }) => server.kind === "unreachable" && running);
  if (silent !== undefined) return wait(`${silent.host} runs and does not say whether it belongs to a set`);
  switch (record.kind) {
    case "unknown":
      return wait("the Kubernetes API does not say whether the set was begun");
    case "empty":
      return { kind: "claim", version: record.version };
    case "claimed":
      if (record.token === token) return { kind: "initiate", configuration: initialConfiguration(setName, host) };
      return wait("the set was begun on another volume: a member that has its data must come back");
  }
}

/**
 * More than half of those that vote elect a primary. Those beyond the wanted number do not start by themselves, as where a Database was deleted
 * and is applied with fewer members; what they have that is missing here is unknown here, so the set is not made smaller without them.
 */
function leaderless({ wanted, hostOf }: Observation, electable: readonly string[]): Action {
  const why = `no member leads: more than half of ${electable.join(", ")} must be available`;
  const surplus = allOrdinals.filter(
    (ordinal) => ordinal >= (wanted ?? maxMembers) && electable.includes(hostOf(ordinal)),
  );
  if (wanted === undefined || 2 * (electable.length - surplus.length) > electable.length) return wait(why);
  const all = Math.max(...surplus) + 1;
  const cure = `set spec.replicas to ${all} until the Database is ready, then to ${wanted} again`;
  return { kind: "person", why: `${why}, and some of them are no longer wanted: ${cure}` };
}

function leading(seen: Observation): Action {
  if (seen.administrator === "missing") return { kind: "createAdministrator" };
  if (seen.set === undefined) return wait("the server does not report the state of its set");
  if (seen.wanted === undefined) return wait("the Kubernetes API does not say how many members are wanted");
  if (!seen.set.committed) return wait("a majority of the members does not have the last configuration yet");
  return nextChange(seen, seen.set, seen.wanted);
}
