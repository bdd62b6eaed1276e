// Which changes of a Database there were, and what came of them.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { DatabaseRevision } from "../../../operator/api/revisions/object";
import type { RevisionResult } from "../../../operator/api/revisions/status";
import { byText, changeText, effectText } from "../../history/text";
import type { History } from "../data/history";
import type { Place } from "../data/read";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { Table, type CellContent } from "./table";
import { Tabs, Title } from "./tabs";
import { Ago } from "./words";

export const historyPage = (place: Place, history: History, frame: Frame): Page => ({
  title: `History of ${place.namespace}/${place.name}`,
  changes: frame.links.changes(place),
  body: <Body place={place} history={history} frame={frame} />,
});

interface BodyProps {
  readonly place: Place;
  readonly history: History;
  readonly frame: Frame;
}

function Body({ place, history, frame }: BodyProps): JSX.Element {
  const { revisions, missing } = history;
  return (
    <>
      <Title place={place} />
      <Tabs place={place} links={frame.links} current="history" />
      <section class="card flush" aria-labelledby="history-title">
        <h2 id="history-title">Changes, the newest first</h2>
        {revisions.length > 0 && (
          <Table
            label="Changes"
            headings={["Revision", "When", "By", "Result", "Effect", "Change"]}
            rows={revisions.map((revision) => cellsOf(revision, place, frame))}
          />
        )}
        {revisions.length === 0 && missing === undefined && (
          <p class="empty">None yet: the operator records the changes that it carries out from now on.</p>
        )}
        {missing !== undefined && <p class="empty">{`Not shown: ${missing}`}</p>}
      </section>
    </>
  );
}

function cellsOf(revision: DatabaseRevision, place: Place, { links, now }: Frame): CellContent[] {
  const { spec, status } = revision;
  return [
    <a href={links.revision(place, spec.revision)}>{String(spec.revision)}</a>,
    <Ago at={spec.at} now={now} />,
    <bdi>{byText(revision)}</bdi>,
    <ResultMark result={status.result} />,
    effectText(revision),
    changeText(revision),
  ];
}

const tones: Readonly<Record<RevisionResult, "good" | "busy" | "bad" | "quiet">> = {
  ...{ Complete: "good", Progressing: "busy", Stopped: "bad", Superseded: "quiet" },
};

/** One that was made just now has none yet. */
export function ResultMark({ result = "Progressing" }: { readonly result?: RevisionResult | undefined }): JSX.Element {
  return <span class={`mark ${tones[result]}`}>{result}</span>;
}
