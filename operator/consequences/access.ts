// Who reaches the database, and what its deletion would do. Pure.
import { readOnlyServiceName } from "../../components/naming";
import type { Facts } from "./circumstances";
import { harmless, type Consequence } from "./consequence";

export function readOnlyAccess({ find, name, members }: Facts): Consequence[] {
  const readOnly = find("Service", readOnlyServiceName(name));
  const isMoved = readOnly?.fields.some(({ path }) => path.startsWith("spec.selector")) === true;
  if (readOnly?.operation !== "update" || !isMoved) return [];
  return [harmless(`${readOnly.name} leads to ${members > 1 ? "the replicas" : "the primary"} from now on`)];
}

/** What is said of a field by its new value. */
const ofField =
  (field: string, sentences: Readonly<Record<string, string>>) =>
  ({ asked }: Facts): Consequence[] => {
    const after = asked.find(({ path }) => path === field)?.after;
    const sentence = typeof after === "string" && Object.hasOwn(sentences, after) ? sentences[after] : undefined;
    return sentence === undefined ? [] : [harmless(sentence)];
  };

export const superuserAccess = ofField("spec.superuserAccess", {
  Network: "the superuser may connect from every pod that may reach the database",
  Local: "the superuser connects from inside its member's pod only; connections that are open stay",
});

export const deletionPolicy = ofField("spec.deletionPolicy", {
  Delete: "a later deletion permanently removes data, backups and credentials",
  Snapshot: "a later deletion takes a last backup, removes the data volumes, and keeps backups and credentials",
  Retain: "a later deletion keeps data, backups and credentials",
});
