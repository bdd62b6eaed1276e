// One change of a Database: who asked for it, what it changed, what was foretold, and what happened.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { DatabaseRevision } from "../../../operator/api/revisions/object";
import { effectText, tookText, whoText } from "../../history/text";
import { shortened } from "../../objects/pending";
import { durationText } from "../../output/amounts";
import type { Comparison } from "../data/compare";
import type { Place } from "../data/read";
import { Compare } from "./compare";
import { Fields } from "./fields";
import type { Frame } from "./frame";
import { ResultMark } from "./history";
import type { Page } from "./shell";
import { Table, type CellContent } from "./table";
import { Tabs, Title } from "./tabs";
import { Ago, EffectMark, Moment, None } from "./words";

export interface RevisionView {
  readonly place: Place;
  readonly revision: DatabaseRevision;
  readonly comparison: Comparison;
}

export const revisionPage = (view: RevisionView, frame: Frame): Page => ({
  title: `Revision ${view.revision.spec.revision} of ${view.place.namespace}/${view.place.name}`,
  changes: frame.links.changes(view.place),
  body: <Body {...view} frame={frame} />,
});

interface BodyProps extends RevisionView {
  readonly frame: Frame;
}

function Body({ place, revision, comparison, frame }: BodyProps): JSX.Element {
  const { spec, status } = revision;
  const { changes, putBack = [], approval } = spec;
  return (
    <>
      <Title place={place} />
      <Tabs place={place} links={frame.links} current="history" />
      <section class="card" aria-labelledby="revision-title">
        <h2 id="revision-title">
          {`Revision ${spec.revision}`} <ResultMark result={status.result} />
        </h2>
        <Facts revision={revision} now={frame.now} />
        {changes.length > 0 && <Fields label="What it changed" fields={changes} />}
        <Lines title="Put back" lines={putBack} />
        {approval !== undefined && <Approved approval={approval} />}
      </section>
      <Incidents revision={revision} now={frame.now} />
      <Compare place={place} revision={spec.revision} comparison={comparison} frame={frame} />
    </>
  );
}

function Facts({ revision, now }: { readonly revision: DatabaseRevision; readonly now: Date }): JSX.Element {
  const { spec, status } = revision;
  return (
    <dl>
      <dt>When</dt>
      <dd>
        <Moment at={spec.at} />
        {", "}
        <Ago at={spec.at} now={now} />
        {tookText(revision)}
      </dd>
      <dt>By</dt>
      <dd>
        <bdi>{whoText(revision)}</bdi>
      </dd>
      <dt>Effect</dt>
      <dd>{`${effectText(revision)}${status.message === undefined ? "" : `: ${status.message}`}`}</dd>
      {spec.restarts !== undefined && (
        <>
          <dt>Restarts</dt>
          <dd>{spec.restarts}</dd>
        </>
      )}
    </dl>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): JSX.Element {
  if (lines.length === 0) return <></>;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li class="words">{line}</li>
        ))}
      </ul>
    </>
  );
}

type Approval = NonNullable<DatabaseRevision["spec"]["approval"]>;

function Approved({ approval: { by, plan, consequences } }: { readonly approval: Approval }): JSX.Element {
  return (
    <>
      <h3>What was foretold</h3>
      {consequences.length === 0 ? (
        <p>Clients notice nothing.</p>
      ) : (
        <ul class="effects">
          {consequences.map(({ effect, message }) => (
            <li>
              <EffectMark effect={effect} /> <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        Plan <code>{shortened(plan)}</code>
        {by === undefined ? ", which needed no approval" : <bdi>{`, approved by ${by}`}</bdi>}
      </p>
    </>
  );
}

/** From what led to it to what led to that. */
function Causes({ why }: { readonly why: readonly string[] }): JSX.Element {
  const [only, ...more] = why;
  if (only === undefined) return <None />;
  if (more.length === 0) return <span class="words">{only}</span>;
  return (
    <ol class="chain">
      {why.map((cause) => (
        <li class="words">{cause}</li>
      ))}
    </ol>
  );
}

function Incidents({ revision, now }: { readonly revision: DatabaseRevision; readonly now: Date }): JSX.Element {
  const { incidents = [] } = revision.status;
  if (incidents.length === 0) return <></>;
  const rows = incidents.map(({ at, kind, member, seconds, why }): CellContent[] => [
    <Ago at={at} now={now} />,
    member ?? <None />,
    seconds === undefined ? kind : `${kind} for ${durationText(seconds)}`,
    <Causes why={why} />,
  ]);
  return (
    <section class="card flush" aria-labelledby="incidents-title">
      <h2 id="incidents-title">What happened to members</h2>
      <Table label="What happened to members" headings={["When", "Member", "What", "Why"]} rows={rows} />
    </section>
  );
}
