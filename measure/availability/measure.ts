// A whole measurement: cell after cell, try after try.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../../tools/images/catalogue";
import type { Progress } from "../../tools/progress";
import type { Anomaly, AnomalyKind } from "./consistency/anomalies";
import { kindsOf } from "./consistency/check";
import { faults } from "./faults/list";
import { cellsOf, engines, type Cell, type EngineName } from "./matrix";
import { namespace, type Stage } from "./stage";
import { newConnectionsText } from "./report/new-connections";
import { makeSubject, type Subject } from "./subject";
import { attemptOnce, type Try } from "./try";
import { minorStep, versionsOf } from "./versions";

/** Tries of one cell. */
export interface Measured {
  readonly cell: Cell;
  readonly version: string;
  readonly tries: readonly Try[];
  /** Why tries did not come to an end. */
  readonly failures: readonly string[];
}

export interface MeasureOptions {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly tries: number;
  /** Of each Database. */
  readonly members: number;
  /** The version of the servers, but for upgrades. Default: the newest in the catalogue. */
  readonly version?: string;
  /** Where the members' logs of each try go. Default: nowhere. */
  readonly logs?: string;
  /** Called as soon as a cell is measured. */
  readonly onMeasured: (measured: Measured) => Promise<void>;
}

/** Which cells, and why the others cannot be measured here. */
export interface Plan {
  readonly cells: readonly Cell[];
  readonly skipped: readonly string[];
}

/** The cells of the engines that pass the filter and that the catalogue has versions for. */
export function planOf(names: readonly EngineName[], catalogue: Catalogue, isWanted: (cell: Cell) => boolean): Plan {
  const cells: Cell[] = [];
  const skipped: string[] = [];
  for (const name of names) {
    const wanted = cellsOf(name).filter(isWanted);
    const versions = versionsOf(catalogue, name);
    if (wanted.length === 0) continue;
    if (versions.length === 0) {
      skipped.push(`${name}: the catalogue has no version of it.`);
      continue;
    }
    const hasStep = engines[name].minorUpgrade === "rebuilt image" || minorStep(versions) !== undefined;
    if (!hasStep && wanted.some(({ fault }) => faults[fault].needsOlderVersion))
      skipped.push(
        `minor-upgrade of ${name}: the catalogue has no two minors of one major, only ${versions.join(", ")}.`,
      );
    cells.push(...wanted.filter(({ fault }) => hasStep || !faults[fault].needsOlderVersion));
  }
  return { cells, skipped };
}

/**
 * Measures the cells; a try that fails takes its Database with it, and the next one gets a new one. Throws where a Database
 * cannot be created or deleted.
 */
export async function measure(cells: readonly Cell[], options: MeasureOptions): Promise<void> {
  const subjects = new Subjects(options);
  for (const cell of cells) {
    const [tries, failures]: [Try[], string[]] = [[], []];
    let version = "";
    for (let index = 1; index <= options.tries; index += 1) {
      const title = `${titleOf(cell)}, try ${index} of ${options.tries}`;
      const scene = await subjects.sceneFor(cell);
      version = scene.nextVersion ?? scene.subject.version;
      const done = await attemptOnce(faults[cell.fault], scene).catch(messageOf);
      await subjects.keepLogs(`${titleOf(cell)}-${index}`);
      if (typeof done === "string") {
        failures.push(done);
        await subjects.drop();
      } else tries.push(done);
      options.progress.line(typeof done === "string" ? `${title} failed: ${done}` : `${title}: ${tryText(done)}`);
    }
    await options.onMeasured({ cell, version, tries, failures });
  }
  await subjects.drop();
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const titleOf = ({ engine, fault, replication, mode }: Cell): string =>
  `${engine} ${fault} (${replication}, ${mode})`;

function tryText({ outage, account, twoWriters, consistency, newConnections, wholeMs, pace, primaries }: Try): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  return [
    `${seconds(outage.overallMs)} without an acknowledgement (one client ${seconds(outage.worstClientMs)})`,
    `complete after ${seconds(wholeMs)}`,
    `${account.acknowledged} acknowledged`,
    `${account.lost} lost`,
    `${account.unknown} unknown`,
    ...(twoWriters.length > 0 ? [`two writable members ${twoWriters.length} times`] : []),
    `${consistency.transactions} transactions with lists`,
    `new connections ${newConnectionsText(newConnections)}`,
    `machine's pace ${pace.toFixed(1)}`,
    ...kindsOf(consistency.anomalies).map((kind) => firstOf(kind, consistency.anomalies)),
    primaries.join(" → "),
  ].join(", ");
}

/** A loss of seconds has thousands of them. */
function firstOf(wanted: AnomalyKind, anomalies: readonly Anomaly[]): string {
  const found = anomalies.filter(({ kind }) => kind === wanted);
  return `${wanted} (${found.length}): ${found[0]?.detail ?? ""}`;
}

/** The Database that is measured, created again where another kind of it is needed. */
class Subjects {
  readonly #options: MeasureOptions;
  #current: Subject | undefined;
  #made = 0;
  #step = 0;

  constructor(options: MeasureOptions) {
    this.#options = options;
  }

  /** Everything for one try; the operator is as the cell wants it. */
  async sceneFor(cell: Cell): Promise<Parameters<typeof attemptOnce>[1]> {
    const { stage } = this.#options;
    const versions = versionsOf(stage.platform.catalogue, cell.engine);
    const needsOlder = faults[cell.fault].needsOlderVersion && engines[cell.engine].minorUpgrade === "next version";
    const step = needsOlder ? minorStep(versions) : undefined;
    const version = step?.from ?? this.#options.version ?? versions.at(-1) ?? "";
    const subject = (step === undefined && this.#kept(cell, version)) || (await this.#make(cell, version));
    await stage.setMode(cell.mode);
    this.#step += 1;
    const { platform, processes } = stage;
    return {
      ...{ subject, processes, step: this.#step, kubectl: platform.kubectl },
      directory: platform.cluster.directory,
      ...(step && { nextVersion: step.to }),
    };
  }

  /** The present one, where it is of that kind. */
  #kept({ engine, replication }: Cell, version: string): Subject | undefined {
    const current = this.#current;
    const isSame = current?.engine.name === engine && current.replication === replication;
    return isSame && current.version === version ? current : undefined;
  }

  async #make(cell: Cell, version: string): Promise<Subject> {
    const { stage, progress, members: replicas } = this.#options;
    await this.drop();
    await stage.setMode("operator running");
    this.#made += 1;
    const name = `try-${this.#made}`;
    this.#current = await progress.step(`${cell.engine} ${version}, ${cell.replication}: ${replicas} members`, () =>
      makeSubject({
        ...{ kubectl: stage.platform.kubectl, client: stage.client, namespace, name, version, replicas },
        ...{ engine: engines[cell.engine], replication: cell.replication },
      }),
    );
    return this.#current;
  }

  /** Deletes it, for which an operator must run. */
  async drop(): Promise<void> {
    const subject = this.#current;
    this.#current = undefined;
    if (subject === undefined) return;
    await this.#options.stage.setMode("operator running");
    await subject.remove();
  }

  async keepLogs(title: string): Promise<void> {
    const { logs, stage } = this.#options;
    if (logs === undefined || this.#current === undefined) return;
    await mkdir(logs, { recursive: true });
    for (const { name } of this.#current.members()) {
      const options = ["-n", namespace, "--all-containers", "--timestamps", "--tail=5000"];
      const text = await stage.platform.kubectl("logs", name, ...options).catch(String);
      await writeFile(join(logs, `${title.replaceAll(/[^a-z0-9]+/gi, "-")}.${name}.log`), `${text}\n`);
    }
  }
}
