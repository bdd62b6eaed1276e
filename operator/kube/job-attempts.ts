// What the pods of Jobs said last: why an attempt did not succeed, or of the backup that it took. It outlives the pods, not their Job.
import { z } from "zod";
import type { ImportReport } from "../../contract/import";
import type { BackupReport } from "../../contract/backup-report";
import type { VerificationReport } from "../../contract/verification-report";
import type { BackupRun } from "../domain/backups";
import type { JobRun } from "../domain/members";
import { shortened } from "../domain/shortened";
import { parseJson } from "../objects/json";
import { reportIn } from "./backup-report";
import { importedIn } from "./import-report";
import { verificationIn } from "./verification-report";

/** How a container ended. */
export const Terminated = z.object({
  exitCode: z.number().default(0),
  reason: z.string().default(""),
  message: z.string().default(""),
});

/** How the container of a pod is, and how it ended before. */
export interface ContainerEnds {
  readonly state: { readonly terminated?: z.infer<typeof Terminated> | undefined };
  readonly lastState: { readonly terminated?: z.infer<typeof Terminated> | undefined };
}

/** What the pod of a Job says. */
export interface Attempt {
  /** UID of the Job. */
  readonly job: string;
  readonly pod: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Why it did not succeed, on one line; undefined where it did, or may yet. */
  readonly trouble: string | undefined;
  /** Of the backup that it took; undefined where it took none, or nothing is known of it. */
  readonly report: BackupReport | undefined;
  /** Of the backup that it restored to look at it; missing where it restored none. */
  readonly verification?: VerificationReport;
  /** Of what it imported; missing where it imported nothing. */
  readonly imported?: ImportReport["imported"];
  /** Whether it ended well, and said nothing of a backup. */
  readonly isSilent: boolean;
}

/** Whether the program has ended well. */
export const hasEnded = (containers: readonly ContainerEnds[]): boolean =>
  containers.some(({ state }) => state.terminated?.exitCode === 0);

/** A Job, with what Kubernetes says of its end. */
export interface SeenJob extends JobRun, Pick<BackupRun, "uid" | "engine" | "isManual"> {
  /** Why it failed for good; undefined where it did not. */
  readonly verdict: { readonly reason: string; readonly message: string } | undefined;
}

/** Why the pod's container ended last; undefined where it never failed. */
export function endOf(containers: readonly ContainerEnds[]): string | undefined {
  for (const { state, lastState } of containers) {
    const ended = state.terminated ?? lastState.terminated;
    if (ended === undefined || ended.exitCode === 0) continue;
    const said = lastLinesOf(ended.message);
    const what = ended.reason === "Error" || ended.reason === "" ? undefined : ended.reason;
    return [what, said === "" ? `exit code ${ended.exitCode}` : said].filter((part) => part !== undefined).join(": ");
  }
  return undefined;
}

/** The last lines of a program's log say why it ended. */
const maxLines = 3;
const longestLine = 200;
const longestLines = maxLines * longestLine + 2 * (maxLines - 1);
/** An agent's own words end with what to do about it. */
const longestWhy = 440;

/** Room is left in a message for what to do about it. */
const longestTrouble = 640;

/** On one line, bounded, and without what a terminal would act on. What is left out is what was said first. */
function lastLinesOf(text: string): string {
  const lines = text
    .split("\n")
    .map(wordsOf)
    .filter((line) => line !== "")
    .slice(-maxLines);
  const joined = lines.map((_, first) => lines.slice(first).join("; "));
  return joined.find(({ length }) => length <= longestLines) ?? "";
}

const LogLine = z.object({ message: z.string(), why: z.string().optional() });

/** Agents log lines of JSON. */
function wordsOf(line: string): string {
  const { data } = LogLine.safeParse(parseJson(line));
  const words = data === undefined ? line : (data.why ?? data.message);
  return shortened(words.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), data?.why === undefined ? longestLine : longestWhy);
}

/** What the program of a backup Job says of the backup that it took, when it ends well. */
export const reportOf = (containers: readonly ContainerEnds[]): BackupReport | undefined =>
  containers.map(({ state }) => reportIn(state.terminated?.message ?? "")).find((report) => report !== undefined);

/** What the program of a restore drill says of the backup, however it ends. */
export const verificationOf = (containers: readonly ContainerEnds[]): VerificationReport | undefined =>
  containers
    .map(({ state }) => verificationIn(state.terminated?.message ?? ""))
    .find((verification) => verification !== undefined);

/** What the program of an import Job says, when it ends well. */
export const importedOf = (containers: readonly ContainerEnds[]): ImportReport["imported"] | undefined =>
  containers.map(({ state }) => importedIn(state.terminated?.message ?? "")).find((imported) => imported !== undefined);

/** What is said of any Job. */
function jobIn(seen: JobRun): JobRun {
  const { name, database, namespace, component, state, finishedAt, createdAt, requestedBy } = seen;
  const job = { name, database, namespace, component, state, finishedAt, createdAt };
  return requestedBy === undefined ? job : { ...job, requestedBy };
}

const saysAnything = ({ trouble, report, verification, imported }: Attempt): boolean =>
  [trouble, report, verification, imported].some((said) => said !== undefined);

/** See the header. */
export class JobAttempts {
  readonly #jobs = new Set<string>();
  /** The last one that said anything, by the Job's UID. */
  readonly #last = new Map<string, Attempt>();
  /** Those whose pod ended well and said nothing, by the Job's UID. */
  readonly #silent = new Set<string>();

  /** Takes note of a Job; `after` is undefined once it is gone. */
  noteJob(after: SeenJob | undefined, before: SeenJob | undefined): void {
    if (before !== undefined && before.uid !== after?.uid) {
      this.#jobs.delete(before.uid);
      this.#forget(before.uid);
    }
    if (after !== undefined) this.#jobs.add(after.uid);
  }

  /** Takes note of what a pod says; `after` is undefined once it is gone. */
  notePod(after: Attempt | undefined, before: Attempt | undefined): void {
    if (after !== undefined) this.#note(after);
    // pods may go after their Job
    else if (before !== undefined && !this.#jobs.has(before.job)) this.#forget(before.job);
  }

  #forget(job: string): void {
    this.#last.delete(job);
    this.#silent.delete(job);
  }

  #note(attempt: Attempt): void {
    const { job, pod, createdAt } = attempt;
    if (attempt.isSilent) this.#silent.add(job);
    const last = this.#last.get(job);
    if (!saysAnything(attempt)) {
      // what it waited for has come
      if (last?.pod === pod) this.#last.delete(job);
      return;
    }
    if (last === undefined || createdAt >= last.createdAt) this.#last.set(job, attempt);
  }

  /** The Job with what its pods said. */
  with({ uid, verdict, ...seen }: SeenJob): JobRun {
    const { trouble, report, verification, imported } = this.#last.get(uid) ?? {};
    const job = { ...jobIn(seen), ...(verification !== undefined && { verification }) };
    if (job.state === "succeeded")
      return { ...job, ...(report !== undefined && reportedIn(report)), ...(imported !== undefined && { imported }) };
    // that there were too many attempts is said by any word on one of them
    const isMore = verdict !== undefined && (trouble === undefined || verdict.reason !== "BackoffLimitExceeded");
    const why = [isMore ? `${verdict.reason}: ${verdict.message}` : undefined, trouble];
    const text = shortened(why.filter((part) => part !== undefined).join("; "), longestTrouble);
    return { ...job, ...(text !== "" && { trouble: text }) };
  }

  /** The same of a Job that takes a backup, with what its program said of it. */
  backup(job: SeenJob): BackupRun {
    const { uid, engine, isManual } = job;
    const report = job.state === "succeeded" ? this.#last.get(uid)?.report : undefined;
    const isSilent = report === undefined && this.#silent.has(uid);
    return {
      ...this.with(job),
      ...{ uid, engine, isManual },
      ...(report !== undefined && { report }),
      ...(isSilent && { isSilent }),
    };
  }
}

const reportedIn = ({ backup, recoverableFrom }: BackupReport): Pick<JobRun, "backup" | "recoverableFrom"> => ({
  backup,
  ...(recoverableFrom !== undefined && { recoverableFrom }),
});
