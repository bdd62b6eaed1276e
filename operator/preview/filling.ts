// What happens to the Job that copies, or imports, the data of a new Database while it runs: it takes no part of what was done before.
import { importJobName, restoreJobName } from "../../components/naming";
import type { PlannedStep } from "../domain/runner";

/** Finds a step that changes something. */
type Find = (kind: string, name: string) => PlannedStep | undefined;

const fillings = [
  [importJobName, "import", "loaded"],
  [restoreJobName, "copy of the backup", "copied"],
] as const;

/** As sentences, the weightiest of all. */
export const fillingOf = (find: Find, name: string): string[] =>
  fillings.flatMap(([job, what, done]) => {
    const operation = find("Job", job(name))?.operation;
    if (operation === "create") return [`the ${what} begins again from nothing, as its Job is gone`];
    if (operation !== "replace") return [];
    return [
      `THE ${what.toUpperCase()} BEGINS AGAIN FROM NOTHING: its Job is replaced, and what it has ${done} so far is thrown away; wait until it has ended to keep it`,
    ];
  });
