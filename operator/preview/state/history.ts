// The operator's history of a stack as Pulumi's file backend keeps it: pure.
import type { Revision } from "../../domain/records";

/** One entry of Pulumi's history, and the name of its file. */
export interface HistoryFile {
  readonly name: string;
  readonly text: string;
}

/** Words of the operator's summaries, and what Pulumi calls them. */
const operations: Readonly<Record<string, string>> = {
  created: "create",
  updated: "update",
  deleted: "delete",
  replaced: "replace",
  unchanged: "same",
};

/** An entry for each revision; `pulumi stack history` sorts them by the name of the file. */
export function historyFilesOf(stack: string, history: readonly Revision[]): HistoryFile[] {
  return history.map((revision) => {
    const ended = Date.parse(revision.at);
    const entry = {
      kind: "update",
      startTime: Math.floor(ended / 1000 - revision.seconds),
      message: messageOf(revision),
      environment: {},
      config: {},
      version: revision.revision,
      result: "succeeded",
      endTime: Math.floor(ended / 1000),
      resourceChanges: changesIn(revision.summary),
    };
    return { name: `${stack}-${ended}000000.history.json`, text: JSON.stringify(entry) };
  });
}

function messageOf({ summary, by, putBack, restarts }: Revision): string {
  const who = by === "" ? "" : `, by ${by}`;
  const why = restarts === undefined ? "" : `; members restart: ${restarts}`;
  return putBack === undefined ? `${summary}${who}${why}` : `${summary}${who} (${putBack.join("; ")})${why}`;
}

function changesIn(summary: string): Record<string, number> {
  const counts = [...summary.matchAll(/(\d+) ([a-z]+)/g)].flatMap(([, count, word = ""]) => {
    const operation = operations[word];
    return operation === undefined ? [] : [[operation, Number(count)] as const];
  });
  return Object.fromEntries(counts);
}
