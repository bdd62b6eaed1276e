// The time for which this operator leads: from its election until it resigns, or loses.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config";
import type { KubeClient } from "../kube/client";
import { createLeaseStore } from "../kube/lease-store";
import { Election, type ElectionClock } from "../leadership/election";

export interface TermHooks {
  /** Called with the time until which this operator leads, each time that it gets later. */
  readonly onLeading: (until: Date) => void;
  readonly onElected: () => void;
}

export interface Term {
  /** To be asked right before every write. */
  readonly isLeading: boolean;
  /** Resolves with why when this operator leads no more without having ended its term. */
  readonly lost: Promise<string>;
  /** Begins to campaign. To be called once. */
  begin(hooks: TermHooks): void;
  /** Resigns. Nothing may be written any more. Never rejects. */
  end(): Promise<void>;
}

/** `client` writes the lease, whichever operator leads. */
export function openTerm(client: KubeClient, config: Config, log: Logger): Term {
  return config.leaderElection ? electedTerm(client, config, log) : endlessTerm();
}

/** Of an operator that is the only one. */
function endlessTerm(): Term {
  return {
    isLeading: true,
    lost: new Promise(() => undefined),
    begin: ({ onElected }) => {
      onElected();
    },
    end: () => Promise.resolve(),
  };
}

function electedTerm(client: KubeClient, { namespace, identity }: Config, log: Logger): Term {
  const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
  let election: Election | undefined;
  return {
    get isLeading() {
      return election?.isLeading ?? false;
    },
    lost,
    begin({ onLeading, onElected }) {
      election = new Election({
        store: createLeaseStore({ client, namespace }),
        identity,
        clock: systemClock,
        onLeading,
        onLost: lose,
        onLeader: (leader) => {
          log.info({ leader }, leader === identity ? "leading" : "standing by");
        },
        onProblem: (cause) => {
          log.warn({ err: cause }, "the lease cannot be reached");
        },
      });
      void election.campaign().then((isElected) => {
        if (isElected) onElected();
      });
    },
    async end() {
      await election?.resign();
    },
  };
}

const systemClock: ElectionClock = {
  now: () => new Date(),
  steady: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
