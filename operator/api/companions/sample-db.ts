// SampleDB: the smallest Database there is to write. It is PostgreSQL, and its version may be a loose one.
import { z } from "zod";
import { companionResources } from "../../../contract/resources";
import { matches, patterned } from "../fields";
import { Backup, DatabaseFields } from "../spec";
import { versionPart } from "../version";
import type { CompanionKind } from "./kind";

const LOOSE_VERSION = /^[0-9]{1,7}(\.[0-9]{1,7}){0,2}$/;

/** What a person asks for. */
export const SampleDBSpec = z
  .object({
    version: patterned(
      LOOSE_VERSION,
      64,
      'must be one to three numbers with dots between them, in quotes, for example "17" or "17.6"',
    ).meta({
      description:
        "Version of PostgreSQL: a full one that the operator's catalogue has, for example 17.6, or a loose one, for example 17. Where the catalogue does not have exactly this one, its highest version of the same major is used; when the catalogue gets a higher one, the database moves to it. Quote it. It may not move to another major version.",
    }),
    replicas: DatabaseFields.shape.replicas,
    backupSchedule: Backup.shape.schedule.unwrap().optional().meta({
      description:
        'When backups are taken: five cron fields (minute hour day month weekday), in UTC. Default: "0 2 * * *".',
    }),
  })
  .meta({ description: "The desired database." });
export type SampleDBSpec = z.infer<typeof SampleDBSpec>;

const running = "oldSelf.status.version";
const wanted = "self.spec.version";
/** Only a change is judged, and only where a version runs. */
const isNoStep = [
  `${wanted} == oldSelf.spec.version`,
  `!${matches(wanted, LOOSE_VERSION)}`,
  "!has(oldSelf.status)",
  `!has(${running})`,
  `!${matches(running, LOOSE_VERSION)}`,
].join(" || ");

export const sampleDB: CompanionKind<typeof SampleDBSpec> = {
  ...companionResources.sampleDB,
  version: "v1",
  singular: "sampledb",
  shortNames: ["sdb"],
  description: "A small PostgreSQL database: it is translated to a Database of the same name, which it owns.",
  spec: SampleDBSpec,
  replicasPath: ".spec.replicas",
  rules: [
    {
      rule: `${isNoStep} || ${versionPart(wanted, 0)} == ${versionPart(running, 0)}`,
      message:
        "must stay within the major version that runs (status.version): to move to another, create another SampleDB and move the data",
      fieldPath: ".spec.version",
    },
  ],
  columns: [
    { name: "Version", type: "string", jsonPath: ".spec.version", description: "The desired version." },
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "The desired number of members." },
  ],
  example: `spec:
  version: "17" # the highest 17 of the operator's catalogue`,
};
