// One Database: how it fares, what waits, who its members are.
import type { JSX } from "hono/jsx/jsx-runtime";
import { engineTitle, grouped } from "../../objects/database";
import { durationText } from "../../output/amounts";
import type { DetailedStanding } from "../../status/detailed";
import type { Place, Surroundings } from "../data/read";
import { Backups } from "./backups";
import type { Frame } from "./frame";
import { Members } from "./members";
import { Pending, PendingUnread, type Waiting } from "./pending";
import type { Page } from "./shell";
import { Tabs, Title } from "./tabs";
import { Ago, StateMark } from "./words";

/** What is so after the form that led here: said while it is so, as anyone can write a link. */
export const notices = {
  approved: "The approval is on record. The operator answers to it within seconds.",
  withdrawn: "No approval is on record now.",
} as const;
export type Notice = keyof typeof notices;

export interface DatabaseView {
  readonly place: Place;
  readonly surroundings: Surroundings;
  readonly waiting: Waiting | undefined;
  /** Whether a change waits of which the console cannot read what it is. */
  readonly isPendingUnread: boolean;
  readonly notice: Notice | undefined;
}

export const databasePage = (view: DatabaseView, frame: Frame): Page => ({
  title: `${view.place.namespace}/${view.place.name}`,
  changes: frame.links.changes(view.place),
  body: <Body view={view} frame={frame} />,
});

function Body({ view, frame }: { readonly view: DatabaseView; readonly frame: Frame }): JSX.Element {
  const { place, surroundings, waiting, isPendingUnread, notice } = view;
  const { standing, backups } = surroundings;
  return (
    <>
      <Heading standing={standing} frame={frame} />
      <Tabs place={place} links={frame.links} current="database" />
      {notice !== undefined && (
        <p class="notice" role="status">
          {notices[notice]}
        </p>
      )}
      {waiting !== undefined && <Pending waiting={waiting} frame={frame} />}
      {isPendingUnread && <PendingUnread />}
      <Now standing={standing} now={frame.now} />
      <Members members={standing.members} now={frame.now} />
      <Backups standing={standing.backup} backups={backups} now={frame.now} />
      <Connect standing={standing} />
      {standing.notShown.length > 0 && (
        <ul class="quiet">
          {standing.notShown.map((line) => (
            <li>{`Not shown: ${line}`}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Heading({ standing, frame }: { readonly standing: DetailedStanding; readonly frame: Frame }): JSX.Element {
  const { links, now } = frame;
  const { namespace, name, engine, version, state, ready, lastChange } = standing;
  const isHeld = state === "STALLED" || state === "PAUSED";
  return (
    <>
      <Title place={{ namespace, name }} />
      <p class="lead">
        <StateMark state={state} note={isHeld ? (ready ? "serves" : "does not serve") : undefined} />
        <span>{`${engineTitle(engine)} ${version}`}</span>
        {lastChange !== undefined && (
          <span class="quiet">
            <a href={links.revision({ namespace, name }, lastChange.revision)}>{`revision ${lastChange.revision}`}</a>
            {", "}
            <Ago at={lastChange.at} now={now} />
            {lastChange.by !== undefined && <bdi>{` by ${lastChange.by}`}</bdi>}
          </span>
        )}
      </p>
    </>
  );
}

function Now({ standing, now }: { readonly standing: DetailedStanding; readonly now: Date }): JSX.Element {
  const { conditions, unseenGeneration, upgrade, next } = standing;
  const said = grouped(conditions);
  if (said.length === 0 && unseenGeneration === undefined && upgrade === undefined && next.length === 0) return <></>;
  return (
    <section class="card" aria-labelledby="now-title">
      <h2 id="now-title">Now</h2>
      <dl>
        {said.map(({ types, reason, message, since }) => (
          <>
            <dt>
              {reason}{" "}
              <small>
                {`${types}, `}
                <Ago at={since} now={now} />
              </small>
            </dt>
            <dd class="words">{message}</dd>
          </>
        ))}
      </dl>
      {unseenGeneration !== undefined && (
        <p>{`The operator has not looked at the last change yet (generation ${unseenGeneration}).`}</p>
      )}
      {upgrade !== undefined && <p>{upgradeText(upgrade)}</p>}
      {next.length > 0 && <Next steps={next} />}
    </section>
  );
}

function upgradeText({ from, to, phase, announcedSeconds }: NonNullable<DetailedStanding["upgrade"]>): string {
  const downtime = announcedSeconds === undefined ? "" : `, about ${durationText(announcedSeconds)} without service`;
  return `Upgrade from ${from} to ${to}: ${phase}${downtime}.`;
}

function Next({ steps }: { readonly steps: readonly string[] }): JSX.Element {
  return (
    <>
      <h3>What to do</h3>
      <ul class="commands">
        {steps.map((step) => (
          <li>
            <code>{step}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Connect({ standing }: { readonly standing: DetailedStanding }): JSX.Element {
  const { endpoint, credentialsSecret } = standing;
  if (endpoint === undefined) return <></>;
  return (
    <section class="card" aria-labelledby="connect-title">
      <h2 id="connect-title">Connect</h2>
      <p>
        <code>{endpoint}</code>
        {credentialsSecret !== undefined && (
          <>
            {" with what the Secret "}
            <code>{credentialsSecret}</code>
            {" says, which is not shown here."}
          </>
        )}
      </p>
    </section>
  );
}
