// Backups of a Database, and what to apply to restore one. Nothing is applied: the page says how to.
import type { JSX } from "hono/jsx/jsx-runtime";
import { maxNameLength } from "../../../contract/limits";
import { momentText } from "../../output/amounts";
import { momentOf, type SeenBackup } from "../../objects/backup";
import type { Place, Surroundings } from "../data/read";
import { restorable, type RestorePlan, type RestoreWish } from "../data/restore";
import { Backups } from "./backups";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { Tabs, Title } from "./tabs";

export interface RestoreView {
  readonly place: Place;
  readonly surroundings: Surroundings;
  readonly wish: RestoreWish;
  /** Undefined until it was asked for. */
  readonly plan: RestorePlan | undefined;
}

export const restorePage = (view: RestoreView, frame: Frame): Page => ({
  title: `Backups of ${view.place.namespace}/${view.place.name}`,
  body: <Body view={view} frame={frame} />,
});

interface RestoreProps {
  readonly view: RestoreView;
  readonly frame: Frame;
}

function Body({ view, frame }: RestoreProps): JSX.Element {
  const { place, surroundings, plan } = view;
  const { standing, backups } = surroundings;
  return (
    <>
      <Title place={place} />
      <Tabs place={place} links={frame.links} current="backups" />
      {plan !== undefined && <Plan plan={plan} place={place} />}
      <Backups standing={standing.backup} backups={backups} now={frame.now} />
      {restorable(backups).length > 0 && <Form view={view} frame={frame} />}
      {standing.notShown.map((line) => (
        <p class="quiet">{`Not shown: ${line}`}</p>
      ))}
    </>
  );
}

function Form({ view: { place, surroundings, wish }, frame }: RestoreProps): JSX.Element {
  const { standing, backups } = surroundings;
  const since = standing.backup.recoverableFrom;
  return (
    <section class="card" aria-labelledby="restore-title">
      <h2 id="restore-title">Restore</h2>
      <p>A new Database begins with a backup; nothing of this one is touched. The page says what to apply.</p>
      <form method="get" action={frame.links.backups(place)}>
        <label>
          Name of the new Database
          <input name="name" value={wish.name} maxlength={maxNameLength} autocomplete="off" />
        </label>
        <label>
          Backup
          <select name="backup">
            <option value="" selected={wish.backup === ""}>
              {since === undefined ? "the newest" : "the newest, with all that came after it"}
            </option>
            {restorable(backups).map((backup) => (
              <option value={backup.name} selected={backup.name === wish.backup}>
                {titleOf(backup)}
              </option>
            ))}
          </select>
        </label>
        {since !== undefined && (
          <label>
            {`Up to a moment since ${momentText(since)}; empty: all that is there`}
            <input name="moment" value={wish.moment} maxlength={40} placeholder={since} autocomplete="off" />
          </label>
        )}
        <p class="actions">
          <button type="submit" class="primary">
            Show what to apply
          </button>
        </p>
      </form>
    </section>
  );
}

const titleOf = (backup: SeenBackup): string => `${backup.name}, ${momentText(momentOf(backup))}`;

function Plan({ plan, place }: { readonly plan: RestorePlan; readonly place: Place }): JSX.Element {
  if (plan.kind === "refused") return <p class="warning">{`Nothing to apply: ${plan.message}.`}</p>;
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">What to apply</h2>
      <pre tabindex={0} aria-label="Manifest">
        <code>{plan.text}</code>
      </pre>
      <p class="quiet">
        {`With kubectl apply -n ${place.namespace} -f FILE. Before that, kubectl database-operator preview -f FILE says which backup it begins with.`}
      </p>
    </section>
  );
}
