// What the proxy does other than to pass a request on: which requests a rule is about, and what becomes of them.
import { setTimeout as delay } from "node:timers/promises";
import type { ApiRequest, Party, Verb } from "./request";

/** All that is given must hold. */
export interface Match {
  readonly writes?: true;
  readonly by?: Party;
  readonly verb?: Verb;
  readonly resource?: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly path?: RegExp;
  /** Only the n-th request that matches, counted from 1 since the rule was created. */
  readonly nth?: number;
  /** Every n-th request that matches. */
  readonly every?: number;
}

export type Action =
  /** Calls, then cuts the connection; the API server never hears of the request. */
  | { readonly kind: "cutBefore"; readonly call?: Call }
  /** The API server executes the request, then `call`, and the client gets no answer. */
  | { readonly kind: "dropReply"; readonly call?: Call }
  /** The client has its answer before `call`. */
  | { readonly kind: "callAfter"; readonly call: Call }
  /** Answers in the API server's place. */
  | { readonly kind: "refuse"; readonly code: number; readonly reason: string; readonly retryAfterSeconds?: number }
  | { readonly kind: "delay"; readonly ms: number }
  /** Waits for `Hold.release`, before the API server hears of the request or with its answer in hand. */
  | { readonly kind: "hold"; readonly moment: HoldMoment; readonly keep: Keep }
  /** A list with the API server's resourceVersion and nothing in it. */
  | { readonly kind: "emptyList" }
  /** Answers with the text of a former answer. */
  | { readonly kind: "replay"; readonly body: string };

export type Call = (request: ApiRequest) => void | Promise<void>;

/** Resolves when the request is released, or its client is gone. */
type Keep = (request: ApiRequest, gone: Promise<unknown>) => Promise<void>;

/** When a request is held: the API server has not heard of it, or has executed it and the client waits for the answer. */
export type HoldMoment = "before" | "answered";

/** A rule in force. */
export interface Rule {
  /** What it was applied to, in order. */
  readonly applied: readonly ApiRequest[];
  remove(): void;
}

/** A rule that holds each request that matches until the test has seen what it wants to see. */
export interface Hold extends Rule {
  /** How many requests are held now. */
  readonly waiting: number;
  /** The first request that is held, once there is one. Throws after `withinMs`, by default 60 s, without one. */
  held(withinMs?: number): Promise<ApiRequest>;
  /** Lets go of what is held, and holds nothing any more; so do `remove` and the end of the proxy. */
  release(): void;
}

/** The rules in force; the first that applies to a request decides. */
export class Rules {
  readonly #rules = new Set<ActiveRule>();

  add(match: Match, action: Action): Rule {
    const rule = new ActiveRule(match, action, (ended) => this.#rules.delete(ended));
    this.#rules.add(rule);
    return rule;
  }

  hold(match: Match, moment: HoldMoment): Hold {
    const arrived = Promise.withResolvers<ApiRequest>();
    const released = Promise.withResolvers<undefined>();
    const waiting = new Set<ApiRequest>();
    const keep: Keep = async (request, gone) => {
      waiting.add(request);
      arrived.resolve(request);
      await Promise.race([released.promise, gone]);
      waiting.delete(request);
    };
    const rule = new ActiveRule(match, { kind: "hold", moment, keep }, (ended) => {
      this.#rules.delete(ended);
      released.resolve(undefined);
    });
    this.#rules.add(rule);
    const release = (): void => {
      rule.remove();
    };
    return {
      applied: rule.applied,
      get waiting() {
        return waiting.size;
      },
      held: (withinMs = 60_000) => within(withinMs, arrived.promise, match),
      release,
      remove: release,
    };
  }

  clear(): void {
    for (const rule of [...this.#rules]) rule.remove();
  }

  /** Every rule sees the request, as each counts for itself. */
  actionFor(request: ApiRequest): Action | undefined {
    const applying = [...this.#rules].filter((rule) => rule.counts(request));
    applying[0]?.applied.push(request);
    return applying[0]?.action;
  }
}

class ActiveRule implements Rule {
  readonly applied: ApiRequest[] = [];
  #seen = 0;

  constructor(
    readonly match: Match,
    readonly action: Action,
    readonly end: (rule: ActiveRule) => void,
  ) {}

  remove(): void {
    this.end(this);
  }

  /** Whether the rule applies to this request, which it has then counted. */
  counts(request: ApiRequest): boolean {
    if (!matches(this.match, request)) return false;
    this.#seen += 1;
    const { nth, every } = this.match;
    return (nth === undefined || this.#seen === nth) && (every === undefined || this.#seen % every === 0);
  }
}

async function within(ms: number, arrived: Promise<ApiRequest>, match: Match): Promise<ApiRequest> {
  const ended = new AbortController();
  const late = delay(ms, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`no request came within ${ms / 1000} s that is ${JSON.stringify(match)}`);
  });
  try {
    return await Promise.race([arrived, late]);
  } finally {
    ended.abort();
  }
}

const fields = ["by", "verb", "resource", "namespace", "subresource"] as const;

function matches(match: Match, request: ApiRequest): boolean {
  if (match.writes === true && !request.isWrite) return false;
  if (match.path !== undefined && !match.path.test(request.path)) return false;
  return fields.every((field) => match[field] === undefined || match[field] === request[field]);
}
