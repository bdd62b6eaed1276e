// Backups of a Database: which there are, and to which moments a restore can go back.
import type { JSX } from "hono/jsx/jsx-runtime";
import { momentOf, newestFirst, type SeenBackup } from "../../objects/backup";
import { bytesText, durationText } from "../../output/amounts";
import type { BackupStanding } from "../../status/standing";
import { Table, type CellContent } from "./table";
import { Ago, Moment, None } from "./words";

/** How many are shown. */
const most = 10;

interface BackupsProps {
  readonly standing: BackupStanding;
  readonly backups: readonly SeenBackup[];
  readonly now: Date;
}

export function Backups({ standing, backups, now }: BackupsProps): JSX.Element {
  const shown = newestFirst(backups).slice(0, most);
  return (
    <section class="card flush" aria-labelledby="backups-title">
      <h2 id="backups-title">Backups</h2>
      <p class="inset">
        <Range standing={standing} />
      </p>
      {standing.problem !== undefined && <p class="warning">{standing.problem}</p>}
      {shown.length > 0 && (
        <Table
          label="Backups, the newest first"
          headings={["Backup", "Phase", "Completed", "Size", "Took", "Restored by a drill"]}
          rows={shown.map((backup) => cellsOf(backup, now))}
        />
      )}
      {backups.length > most && <p class="empty">{`and ${backups.length - most} older ones`}</p>}
    </section>
  );
}

function Range({ standing }: { readonly standing: BackupStanding }): JSX.Element {
  const { enabled, schedule, last, recoverableFrom } = standing;
  if (!enabled) return <>Backups are off.</>;
  const planned = schedule === undefined ? "" : ` Schedule: ${schedule}.`;
  if (recoverableFrom !== undefined)
    return (
      <>
        Can be restored to any moment since <Moment at={recoverableFrom} />.{planned}
      </>
    );
  return (
    <>{`${last === undefined ? "There is no backup yet." : "Can be restored to the moments of its backups."}${planned}`}</>
  );
}

function cellsOf(backup: SeenBackup, now: Date): CellContent[] {
  const { name, keep, status } = backup;
  const { phase = "Pending", size, durationSeconds } = status;
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  return [
    keep ? `${name} (kept)` : name,
    <span class={`mark ${tones[phase]}`}>{phase}</span>,
    hasEnded ? <Ago at={momentOf(backup)} now={now} /> : <None />,
    size === undefined ? <None /> : bytesText(size),
    durationSeconds === undefined ? <None /> : durationText(durationSeconds),
    <Drilled status={status} now={now} />,
  ];
}

const tones = { Succeeded: "good", Failed: "bad", Running: "busy", Pending: "busy" } as const;

function Drilled({ status, now }: { readonly status: SeenBackup["status"]; readonly now: Date }): JSX.Element {
  const { verification, verifiedAt } = status;
  if (verification !== undefined && !verification.succeeded) return <span class="mark bad">Damaged</span>;
  return verifiedAt === undefined ? <None /> : <Ago at={verifiedAt} now={now} />;
}
