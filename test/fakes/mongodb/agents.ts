// Members over a scripted set in memory: the real observations, decisions and actions, without a network.
import { act } from "../../../agent/mongodb/act";
import type { Action } from "../../../agent/mongodb/action";
import { decide } from "../../../agent/mongodb/decide";
import { observe } from "../../../agent/mongodb/observe";
import { administrator, type Command, type Member as Agent, type PodView } from "../../../agent/mongodb/ports";
import type { InitiationRecord } from "../../../agent/mongodb/observation";
import { answer, type Session } from "./commands";
import { refusals } from "./errors";
import type { ScriptedSet } from "./set";

/** What the members of one database share, and what their volumes hold. */
export class ScriptedDatabase {
  record: InitiationRecord = { kind: "empty", version: "1" };
  wanted: number;
  /** Ordinals of pods that exist. */
  readonly pods = new Set<number>();
  private readonly tokens = new Map<number, string>();
  private readonly agents: readonly Agent[];
  /** How many sets were begun, whatever became of them. */
  initiations = 0;

  constructor(
    readonly set: ScriptedSet,
    wanted: number,
  ) {
    this.wanted = wanted;
    this.agents = set.members.map((_, ordinal) => this.agentOf(ordinal));
  }

  hostOf(ordinal: number): string {
    return this.set.members[ordinal]?.host ?? `nowhere-${ordinal}`;
  }

  /** Empties the volume of a member. */
  loseVolume(ordinal: number): void {
    this.tokens.delete(ordinal);
    this.set.lose(this.hostOf(ordinal));
  }

  /** Lets one member look, decide and act; answers what it did. Throws what the server refused. */
  async step(ordinal: number): Promise<Action> {
    const agent = this.agents[ordinal];
    if (agent === undefined) throw new Error(`the script has no member ${ordinal}`);
    const action = decide(await observe(agent));
    await act(action, agent);
    if (action.kind === "initiate") this.initiations += 1;
    return action;
  }

  private agentOf(ordinal: number): Agent {
    const ask = (host: string, session: Session, command: Command): Promise<unknown> => {
      const member = this.set.member(host);
      if (!member.up) return Promise.reject(new Error("connection refused"));
      return Promise.resolve().then(() =>
        answer({ set: this.set, member, session, command: { ...command, $db: "admin" } }),
      );
    };
    const own = this.hostOf(ordinal);
    const administratorPassword = "secret";
    return {
      identity: { ordinal, setName: "orders", hostOf: (other) => this.hostOf(other) },
      administratorPassword,
      servers: {
        asNobody: (command) => ask(own, { local: true }, command),
        asAdministrator: (command) => {
          const { up, users } = this.set.member(own);
          const known = users.some(
            ({ name, password }) => name === administrator && password === administratorPassword,
          );
          if (up && !known) return Promise.reject(refusals.authenticationFailed("no such user and password"));
          return ask(own, { local: true, user: administrator }, command);
        },
        peer: (host, command) =>
          this.set.reaches(own, host) ? ask(host, { local: false }, command) : Promise.reject(new Error("no route")),
      },
      cluster: this.cluster(),
      volume: {
        token: () => Promise.resolve(this.tokens.get(ordinal)),
        ensureToken: () => {
          const token = this.tokens.get(ordinal) ?? `token-${ordinal}-${this.tokens.size}`;
          this.tokens.set(ordinal, token);
          return Promise.resolve(token);
        },
      },
    };
  }

  private cluster(): Agent["cluster"] {
    const podOf = (ordinal: number): PodView => ({
      name: `orders-${ordinal}`,
      ordinal,
      running: true,
      role: undefined,
    });
    return {
      pods: () => Promise.resolve(Array.from(this.pods, podOf)),
      wanted: () => Promise.resolve(this.wanted),
      record: () => Promise.resolve(this.record),
      claim: (version, token) => {
        const isCurrent = this.record.kind === "empty" && this.record.version === version;
        if (isCurrent) this.record = { kind: "claimed", token };
        return Promise.resolve(isCurrent);
      },
    };
  }
}
