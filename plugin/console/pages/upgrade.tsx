// What a change of the platform would do to all Databases. Nothing is changed.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { FleetRow } from "../../../operator/preview/fleet";
import type { UpgradePreview, UpgradeQuestion } from "../data/upgrade";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { ShowButton } from "./show-button";
import { Table, type CellContent } from "./table";
import { EffectMark, None } from "./words";

export interface UpgradeView {
  readonly question: UpgradeQuestion;
  /** Undefined until it was asked. */
  readonly preview: UpgradePreview | undefined;
}

export const upgradePage = (view: UpgradeView, frame: Frame): Page => ({
  title: "Upgrade preview",
  body: <Body view={view} frame={frame} />,
});

interface UpgradeProps {
  readonly view: UpgradeView;
  readonly frame: Frame;
}

function Body({ view, frame }: UpgradeProps): JSX.Element {
  return (
    <>
      <h1>Upgrade preview</h1>
      {view.preview !== undefined && <Outcome preview={view.preview} frame={frame} />}
      <Form view={view} frame={frame} />
    </>
  );
}

function Form({ view: { question }, frame }: UpgradeProps): JSX.Element {
  return (
    <section class="card" aria-labelledby="upgrade-title">
      <h2 id="upgrade-title">What if</h2>
      <p>
        What the operator would do to each Database that you may write: as they are, so what of its release waits or is
        under way, or as if the catalogue were another one. Nothing is changed by looking.
      </p>
      <form method="post" action={frame.links.upgrade}>
        <input type="hidden" name="token" value={frame.formToken} />
        <label>
          Namespace
          <input
            name="namespace"
            value={question.namespace ?? ""}
            maxlength={63}
            placeholder="all"
            autocomplete="off"
          />
        </label>
        <label for="catalogue">The catalogue as it would be, as JSON or YAML. Empty: the one that there is.</label>
        <textarea id="catalogue" name="catalogue" rows={8} spellcheck={false} autocomplete="off">
          {`\n${question.text}`}
        </textarea>
        <ShowButton />
      </form>
    </section>
  );
}

function Outcome({ preview, frame }: { readonly preview: UpgradePreview; readonly frame: Frame }): JSX.Element {
  switch (preview.kind) {
    case "unreadable":
      return <p class="warning">{preview.message}</p>;
    case "unserved":
      return <p class="warning">{`Not previewed: ${preview.message}. That it would be harmless does not follow.`}</p>;
    case "told":
      return <Told preview={preview} frame={frame} />;
  }
}

interface ToldProps {
  readonly preview: Extract<UpgradePreview, { kind: "told" }>;
  readonly frame: Frame;
}

function Told({ preview: { rows, totals, left }, frame }: ToldProps): JSX.Element {
  return (
    <>
      {totals.map((sentence) => (
        <p class="lead">{sentence}</p>
      ))}
      {rows.length > 0 && (
        <section class="card flush">
          <Table
            label="What it would do"
            headings={["Database", "Effect", "Members", "Waits for", "Why"]}
            rows={rows.map((row) => cellsOf(row, frame))}
          />
        </section>
      )}
      {left > 0 && (
        <p class="warning">{`${left} more were not asked about: write a namespace into the field, or run kubectl database-operator fleet.`}</p>
      )}
    </>
  );
}

function cellsOf({ namespace, name, effect, members, waitsFor, why }: FleetRow, { links }: Frame): CellContent[] {
  return [
    <a class="name" href={links.database({ namespace, name })}>
      <small>{namespace}/</small>
      {name}
    </a>,
    effect === undefined ? <strong class="needs">not told</strong> : <EffectMark effect={effect} />,
    members.length === 0 ? <None /> : String(members.length),
    waitsFor ?? <None />,
    <span class="words">{why}</span>,
  ];
}
