// What happens to the Job that copies, or imports, the data of a new Database while it runs: it takes no part of what was done before. Pure.
import { importJobName, restoreJobName } from "../../components/naming";
import type { Facts } from "./circumstances";
import type { Consequence } from "./consequence";

const fillings = [
  [importJobName, "import", "loaded"],
  [restoreJobName, "copy of the backup", "copied"],
] as const;

/** Nothing that clients have is lost, and no member restarts: none serves until it has succeeded, which is later then. */
export const filling = ({ find, name }: Facts): Consequence[] =>
  fillings.flatMap(([job, what, done]) => {
    const operation = find("Job", job(name))?.operation;
    if (operation === "create") return downtime(`the ${what} begins again from nothing, as its Job is gone`);
    if (operation !== "replace") return [];
    return downtime(
      `THE ${what.toUpperCase()} BEGINS AGAIN FROM NOTHING: its Job is replaced, and what it has ${done} so far is thrown away; wait until it has ended to keep it`,
    );
  });

const downtime = (message: string): Consequence[] => [{ effect: "Downtime", members: [], message }];
