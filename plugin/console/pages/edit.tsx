// An edit of a spec, and what it would do. Nothing is applied: the page says how to.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { PreviewReport } from "../../../operator/preview/report";
import type { Edited } from "../data/edit";
import type { Place } from "../data/read";
import { shortened } from "../../objects/pending";
import { Consequences } from "./consequences";
import { Fields } from "./fields";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { ShowButton } from "./show-button";
import { Tabs, Title } from "./tabs";

export interface EditView {
  readonly place: Place;
  /** What stands in the form. */
  readonly text: string;
  /** Undefined until it was asked. */
  readonly edited: Edited | undefined;
}

export const editPage = (view: EditView, frame: Frame): Page => ({
  title: `Edit of ${view.place.namespace}/${view.place.name}`,
  body: <Body view={view} frame={frame} />,
});

interface EditProps {
  readonly view: EditView;
  readonly frame: Frame;
}

function Body({ view, frame }: EditProps): JSX.Element {
  const { place, edited } = view;
  return (
    <>
      <Title place={place} />
      <Tabs place={place} links={frame.links} current="edit" />
      {edited !== undefined && <Outcome edited={edited} place={place} />}
      <Form view={view} frame={frame} />
    </>
  );
}

function Form({ view, frame }: EditProps): JSX.Element {
  const { place, text } = view;
  return (
    <section class="card" aria-labelledby="edit-title">
      <h2 id="edit-title">What if</h2>
      <form method="post" action={frame.links.edit(place)}>
        <input type="hidden" name="token" value={frame.formToken} />
        <label for="spec">The spec as you would have it. Nothing is changed by looking.</label>
        <textarea
          id="spec"
          name="spec"
          rows={Math.min(30, text.split("\n").length + 2)}
          spellcheck={false}
          autocomplete="off"
        >
          {`\n${text}`}
        </textarea>
        <ShowButton />
      </form>
    </section>
  );
}

export interface OutcomeProps {
  readonly edited: Edited;
  readonly place: Place;
  /** What does it. Default: kubectl, by a patch. */
  readonly command?: string;
}

/** What became of an edit, or would of a rollback, and how to do it. */
export function Outcome({ edited, place, command }: OutcomeProps): JSX.Element {
  switch (edited.kind) {
    case "unreadable":
      return <p class="warning">{edited.message}</p>;
    case "refused":
      return (
        <p class="warning">{`${edited.isForbidden ? "You may not ask for this" : "It is refused"}: ${edited.message}`}</p>
      );
    case "unserved":
      return (
        <>
          <p class="warning">{`Not previewed: ${edited.message}. That it would be harmless does not follow.`}</p>
          <HowTo patch={edited.patch} place={place} command={command} isTrial />
        </>
      );
    case "report":
      return <Reported report={edited.report} patch={edited.patch} place={place} command={command} />;
  }
}

const outcomes: Readonly<Record<PreviewReport["outcome"], string>> = {
  ...{ Planned: "What it would do", Unchanged: "Nothing would change", Refused: "The API server would refuse it" },
  ...{ Stalled: "It would be stored, and wait for a correction", Failed: "It cannot be told what it would do" },
  Skipped: "There is nothing to preview",
};

interface ReportedProps extends HowToProps {
  readonly report: PreviewReport;
}

function Reported({ report, ...how }: ReportedProps): JSX.Element {
  const { outcome, message, spec = [], consequences = [], members = [] } = report;
  const isPlanned = outcome === "Planned";
  return (
    <section class="card" aria-labelledby="outcome-title">
      <h2 id="outcome-title">{outcomes[outcome]}</h2>
      {message !== undefined && <p class="warning words">{message}</p>}
      {spec.length > 0 && <Fields label="How the spec changes" fields={spec} />}
      {isPlanned && <h3>To those who use it</h3>}
      {isPlanned && <Consequences consequences={consequences} members={members.map(({ name }) => name)} />}
      <Remarks report={report} />
      {isPlanned && <HowTo {...how} />}
    </section>
  );
}

function Remarks({ report }: { readonly report: PreviewReport }): JSX.Element {
  const { notes = [], drift = [], digest, summary } = report;
  return (
    <>
      {[...notes, ...drift].map((note) => (
        <p class="warning">{note}</p>
      ))}
      {digest !== undefined && (
        <p class="quiet">
          Plan <code>{shortened(digest)}</code>
          {summary !== undefined && `: ${summary}`}
        </p>
      )}
    </>
  );
}

interface HowToProps {
  readonly patch: string;
  readonly place: Place;
  readonly command: string | undefined;
  readonly isTrial?: boolean;
}

/** In single quotes a shell takes everything but these as it stands. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const patching = ({ patch, place: { namespace, name } }: HowToProps): string =>
  `kubectl patch database ${name} -n ${namespace} --type=merge -p ${quoted(patch)}`;

function HowTo(how: HowToProps): JSX.Element {
  if (how.patch === "") return <></>;
  const { isTrial = false, command = patching(how) } = how;
  return (
    <>
      <h3>{isTrial ? "To hear what the API server warns of" : "To do it"}</h3>
      <pre tabindex={0} aria-label="Command">
        <code>{isTrial ? `${patching(how)} --dry-run=server` : command}</code>
      </pre>
      {!isTrial && <p class="quiet">Or write the same into the file that this Database comes from.</p>}
    </>
  );
}
