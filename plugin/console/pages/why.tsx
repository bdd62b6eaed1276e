// Why a Database and its members are as they are, and what happened, as far as that is still known.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Place } from "../data/read";
import type { Start } from "../../why/cause";
import type { Incident } from "../../why/incidents";
import type { Explanation } from "../../why/text";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { Table, type CellContent } from "./table";
import { Tabs, Title } from "./tabs";
import { Ago } from "./words";

/** How many lines a page has. */
const most = 100;

export const whyPage = (place: Place, explanation: Explanation, frame: Frame): Page => ({
  title: `Why ${place.namespace}/${place.name}`,
  changes: frame.links.changes(place),
  body: <Body place={place} explanation={explanation} frame={frame} />,
});

interface BodyProps {
  readonly place: Place;
  readonly explanation: Explanation;
  readonly frame: Frame;
}

function Body({ place, explanation, frame }: BodyProps): JSX.Element {
  const { members, incidents, notShown } = explanation;
  const shown = incidents.slice(0, most);
  return (
    <>
      <Title place={place} />
      <Tabs place={place} links={frame.links} current="why" />
      {members.length > 0 && <Starts members={members} now={frame.now} />}
      <section class="card flush" aria-labelledby="happened-title">
        <h2 id="happened-title">What happened, the newest first</h2>
        {shown.length === 0 ? (
          <p class="empty">Nothing that is still known.</p>
        ) : (
          <Table
            label="What happened"
            headings={["When", "About", "Reason", "What"]}
            rows={shown.map((incident) => cellsOf(incident, frame.now))}
          />
        )}
        {incidents.length > most && <p class="empty">{`and ${incidents.length - most} more`}</p>}
      </section>
      {notShown.map((line) => (
        <p class="quiet">{`Not shown: ${line}`}</p>
      ))}
    </>
  );
}

function Starts({ members, now }: { readonly members: readonly Start[]; readonly now: Date }): JSX.Element {
  return (
    <section class="card" aria-labelledby="starts-title">
      <h2 id="starts-title">Why each member started last</h2>
      <dl>
        {members.map(({ member, at, chain }) => (
          <>
            <dt>
              {member} <small>{at === undefined ? "does not run" : <Ago at={at} now={now} />}</small>
            </dt>
            <dd>
              {chain.length === 0 ? (
                <span class="quiet">Not known any more: the cluster keeps events for an hour or so.</span>
              ) : (
                <ol class="chain">
                  {chain.map((cause) => (
                    <li class="words">{cause}</li>
                  ))}
                </ol>
              )}
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function cellsOf({ at, about, reason, message, isWarning, count }: Incident, now: Date): CellContent[] {
  return [
    <Ago at={at} now={now} />,
    about,
    isWarning ? <span class="mark busy">{reason}</span> : reason,
    <span class="words">{count > 1 ? `${message} (${count} times)` : message}</span>,
  ];
}
