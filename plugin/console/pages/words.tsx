// Small parts of every page: states, times, effects.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Effect } from "../../../contract/effects";
import type { State } from "../../objects/database";
import { agoText, momentText } from "../../output/amounts";

/** How much it matters: the color, beside the word. */
type Tone = "good" | "busy" | "bad" | "quiet";

const tones: Readonly<Record<State, Tone>> = {
  ...{ READY: "good", DEGRADED: "busy", UPDATING: "busy", WAITING: "busy", "NOT READY": "bad" },
  ...{ STALLED: "bad", PAUSED: "busy", DELETING: "quiet", PENDING: "busy" },
};

const stateWords: Readonly<Record<State, string>> = {
  ...{ READY: "Ready", DEGRADED: "Degraded", UPDATING: "Updating", WAITING: "Waiting", "NOT READY": "Not ready" },
  ...{ STALLED: "Stalled", PAUSED: "Paused", DELETING: "Deleting", PENDING: "Pending" },
};

export function StateMark({ state, note }: { readonly state: State; readonly note?: string }): JSX.Element {
  return (
    <span class={`mark ${tones[state]}`}>
      {stateWords[state]}
      {note !== undefined && `, ${note}`}
    </span>
  );
}

const effectTones: Readonly<Record<Effect, Tone>> = {
  ...{ None: "quiet", Reload: "quiet", Exposure: "busy", Removal: "busy", RollingRestart: "busy" },
  ...{ Switchover: "busy", Downtime: "bad", CannotBeTold: "busy", DataLoss: "bad" },
};

const effectWords: Readonly<Record<Effect, string>> = {
  ...{ None: "Harmless", Reload: "Reload", Exposure: "Less protected", Removal: "Members go" },
  ...{ RollingRestart: "Restart", Switchover: "Switchover", Downtime: "Downtime" },
  ...{ CannotBeTold: "Cannot be told", DataLoss: "Data loss" },
};

export function EffectMark({ effect }: { readonly effect: Effect }): JSX.Element {
  return <span class={`mark ${effectTones[effect]}`}>{effectWords[effect]}</span>;
}

/** How long ago, with the moment. */
export function Ago({ at, now }: { readonly at: string; readonly now: Date }): JSX.Element {
  return (
    <time datetime={at} title={momentText(at)}>
      {agoText(at, now)}
    </time>
  );
}

export function Moment({ at }: { readonly at: string }): JSX.Element {
  return <time datetime={at}>{momentText(at)}</time>;
}

/** What there is not. */
export function None(): JSX.Element {
  return (
    <span class="quiet" aria-label="none">
      –
    </span>
  );
}
