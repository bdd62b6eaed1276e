// What going back to a revision would do. Nothing is written: the page says how to.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { DatabaseRevision } from "../../../operator/api/revisions/object";
import { invocation } from "../../command/name";
import type { KeptField, Rollback } from "../../rollback/judge";
import type { Place } from "../data/read";
import type { WayBack } from "../data/rollback";
import { Outcome } from "./edit";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { Tabs, Title } from "./tabs";
import { Ago } from "./words";

export interface RollbackView {
  readonly place: Place;
  readonly to: DatabaseRevision;
  readonly back: WayBack;
  readonly keepsVersion: boolean;
}

export const rollbackPage = (view: RollbackView, frame: Frame): Page => ({
  title: `Back to revision ${view.to.spec.revision} of ${view.place.namespace}/${view.place.name}`,
  body: <Body view={view} frame={frame} />,
});

interface RollbackProps {
  readonly view: RollbackView;
  readonly frame: Frame;
}

function Body({ view, frame }: RollbackProps): JSX.Element {
  const { place, to, back } = view;
  const { revision, at } = to.spec;
  return (
    <>
      <Title place={place} />
      <Tabs place={place} links={frame.links} current="history" />
      <section class="card" aria-labelledby="back-title">
        <h2 id="back-title">{`Back to revision ${revision}`}</h2>
        <p>
          {"Its spec, of "}
          <Ago at={at} now={frame.now} />
          {", takes the place of that of now. Data are not gone back with. Nothing is changed by looking."}
        </p>
        <Judged view={view} frame={frame} />
        <p>
          <a href={frame.links.revision(place, revision)}>{`Revision ${revision}`}</a>
        </p>
      </section>
      {back.edited !== undefined && <Outcome edited={back.edited} place={place} command={commandOf(view)} />}
    </>
  );
}

function commandOf({ place: { namespace, name }, to, keepsVersion }: RollbackView): string {
  const flags = keepsVersion ? " --keep-version" : "";
  return `${invocation} rollback ${name} -n ${namespace} --to-revision=${to.spec.revision}${flags}`;
}

function Judged({ view, frame }: RollbackProps): JSX.Element {
  const { found, keeper } = view.back;
  return (
    <>
      <Verdict found={found} />
      {found.kind === "version" && <KeepVersion view={view} frame={frame} />}
      {found.kind === "possible" && keeper !== undefined && (
        <p class="warning words">{`${keeper.title} has this Database, and would write over it; ${keeper.where}.`}</p>
      )}
    </>
  );
}

function Verdict({ found }: { readonly found: Rollback }): JSX.Element {
  switch (found.kind) {
    case "unknown":
      return <p class="warning">Its spec was not kept: it was larger than a revision may be.</p>;
    case "foreign":
      return <p class="warning">It is of another engine.</p>;
    case "version":
      return (
        <p class="warning words">
          {`It ran version ${found.to}, and ${found.from} is asked for now: an engine does not read the files of a newer version.`}
        </p>
      );
    case "same":
      return (
        <>
          <p>There is nothing to change: its spec is that of now.</p>
          <Kept kept={found.kept} />
        </>
      );
    case "possible":
      return <Kept kept={found.kept} />;
  }
}

function Kept({ kept }: { readonly kept: readonly KeptField[] }): JSX.Element {
  if (kept.length === 0) return <></>;
  return (
    <>
      <h3>What stays as it is</h3>
      <ul>
        {kept.map(({ path, why }) => (
          <li>
            <code>{`spec.${path}`}</code>
            {`: ${why}`}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The question once more, with another answer to that one. */
function KeepVersion({ view: { place, to }, frame }: RollbackProps): JSX.Element {
  return (
    <form method="post" action={frame.links.rollback(place, to.spec.revision)}>
      <input type="hidden" name="token" value={frame.formToken} />
      <input type="hidden" name="version" value="keep" />
      <p class="actions">
        <button type="submit">Show it with the version of now</button>
      </p>
    </form>
  );
}
