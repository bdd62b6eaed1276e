// All Databases that a person may see: those first that need them.
import type { JSX } from "hono/jsx/jsx-runtime";
import { engineTitle } from "../../objects/database";
import type { Fleet, FleetRow } from "../data/fleet";
import { awaitedText } from "../../output/pending";
import type { Frame } from "./frame";
import type { Page } from "./shell";
import { Table, type CellContent } from "./table";
import { Ago, None, StateMark } from "./words";

/** What was looked for. */
export interface FleetQuery {
  readonly wanted: string;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Namespaces that were too many to be looked into. */
  readonly untried: number;
}

export const fleetPage = (fleet: Fleet, query: FleetQuery, frame: Frame): Page => ({
  title: "All",
  changes:
    frame.links.changes() + (query.namespace === undefined ? "" : `?namespace=${encodeURIComponent(query.namespace)}`),
  above: (
    <>
      <h1>Databases</h1>
      <Search query={query} frame={frame} />
      <p>
        <a href={frame.links.upgrade}>Preview an upgrade of the platform</a>
      </p>
    </>
  ),
  body: <Body fleet={fleet} untried={query.untried} frame={frame} />,
});

interface BodyProps {
  readonly fleet: Fleet;
  readonly untried: number;
  readonly frame: Frame;
}

function Body({ fleet, untried, frame }: BodyProps): JSX.Element {
  const { rows, left } = fleet;
  return (
    <>
      <p class="lead">{summaryOf(fleet)}</p>
      {rows.length === 0 ? (
        <p class="empty">{fleet.total === 0 ? "There are none here." : "None of them fits what you look for."}</p>
      ) : (
        <section class="card flush">
          <Table
            label="Databases"
            headings={["Database", "State", "Engine", "Members", "Backup", "Changed", "What"]}
            rows={rows.map((row) => cellsOf(row, frame))}
          />
        </section>
      )}
      {untried > 0 && (
        <p class="warning">
          {untried === 1
            ? "1 namespace was not looked into: write it into the field."
            : `${untried} namespaces were not looked into: write one of them into the field.`}
        </p>
      )}
      {left > 0 && <p>{`and ${left} more: look for a part of the name or the namespace`}</p>}
    </>
  );
}

function summaryOf({ total, needing }: Fleet): string {
  const count = total === 1 ? "1 Database" : `${total} Databases`;
  if (total === 0) return "No Databases";
  return needing === 0 ? `${count}; none needs you` : `${count}; ${needing} ${needing === 1 ? "needs" : "need"} you`;
}

interface SearchProps {
  readonly query: FleetQuery;
  readonly frame: Frame;
}

function Search({ query, frame }: SearchProps): JSX.Element {
  return (
    <form class="search" method="get" action={frame.links.fleet} role="search">
      <label>
        Look for
        <input type="search" name="q" value={query.wanted} maxlength={100} autocomplete="off" />
      </label>
      <label>
        Namespace
        <input name="namespace" value={query.namespace ?? ""} maxlength={63} placeholder="all" autocomplete="off" />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function What({ row }: { readonly row: FleetRow }): JSX.Element {
  const { standing, pending, isPendingUnread, needsPerson } = row;
  if (isPendingUnread) return <strong class="needs">waits, and cannot be read here</strong>;
  if (pending !== undefined)
    return <strong class={needsPerson ? "needs" : ""}>{`waits ${awaitedText(pending)}`}</strong>;
  const reasons = new Set(standing.conditions.map(({ reason }) => reason));
  return reasons.size === 0 ? <None /> : <>{[...reasons].join(", ")}</>;
}

function cellsOf(row: FleetRow, { links, now }: Frame): CellContent[] {
  const { namespace, name, state, engine, version, readyReplicas, replicas, backup, lastChange } = row.standing;
  return [
    <a class="name" href={links.database({ namespace, name })}>
      <small>{namespace}/</small>
      {name}
    </a>,
    <StateMark state={state} />,
    `${engineTitle(engine)} ${version}`,
    `${readyReplicas} of ${replicas}`,
    <BackupCell backup={backup} now={now} />,
    lastChange === undefined ? <None /> : <Ago at={lastChange.at} now={now} />,
    <What row={row} />,
  ];
}

function BackupCell({ backup, now }: { backup: FleetRow["standing"]["backup"]; now: Date }): JSX.Element {
  const { enabled, last } = backup;
  if (!enabled) return <>off</>;
  return last === undefined ? <>none yet</> : <Ago at={last.completedAt} now={now} />;
}
