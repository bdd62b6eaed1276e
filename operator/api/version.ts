// The version of a Database: what it looks like, which steps the API server allows, and decisions about a major upgrade.
import { z } from "zod";
import { matches, patterned } from "./fields";

const VERSION = /^[0-9]{1,7}\.[0-9]{1,7}$/;
const twoNumbers = 'must be two numbers with a dot between them, in quotes, for example "17.6"';

/** A version as the catalogue has them. */
export const Version = patterned(VERSION, 64, twoNumbers).meta({
  pattern: "^[0-9]+\\.[0-9]+$",
  description:
    "Version of the engine, as in the operator's catalogue, for example 17.6. Quote it: YAML reads 17.10 as 17.1. While a version runs, it may go up within its major version, never down.",
});

/** That of a Database, which can also be upgraded. */
export const UpgradableVersion = Version.meta({
  description:
    "Version of the engine, as in the operator's catalogue, for example 17.6. Quote it: YAML reads 17.10 as 17.1. While a version runs, it may go up within its major version, never down. PostgreSQL goes up to another major version where the catalogue has an image for that, and back to the former one until that is confirmed.",
});

/** See its description. */
export const Upgrade = z
  .object({
    confirmed: patterned(VERSION, 64, twoNumbers).meta({ pattern: "^[0-9]+\\.[0-9]+$" }).optional().meta({
      description:
        "The version that runs after a major upgrade, or after the way back from one: writing it removes the files of the other version for good. Any other version is of no effect, and may stay here; so is one that was here before, until it has been removed and is written again.",
    }),
  })
  .meta({ description: "Decisions about a major upgrade." });

/** A CEL expression for part `index` of the version in the CEL string `text`. */
export const versionPart = (text: string, index: 0 | 1): string => `int(${text}.split('.')[${index}])`;
const running = "oldSelf.status.version";
const wanted = "self.spec.version";
/** Only a change of the version is judged, and only against what runs: a version that never ran can be taken back. */
export const isNoStep = [
  `${wanted} == oldSelf.spec.version`,
  `!${matches(wanted, VERSION)}`,
  `!has(oldSelf.status)`,
  `!has(${running})`,
  `!${matches(running, VERSION)}`,
].join(" || ");

/** Rules over spec and status, where there is no major upgrade: which versions the data files of the running one admit. */
export const VERSION_RULES = [
  {
    rule: `${isNoStep} || ${versionPart(wanted, 0)} == ${versionPart(running, 0)}`,
    message:
      "must stay within the major version that runs (status.version): to move to another, create another Database and move the data",
    fieldPath: ".spec.version",
  },
  {
    rule: `${isNoStep} || ${versionPart(wanted, 0)} != ${versionPart(running, 0)} || ${versionPart(wanted, 1)} >= ${versionPart(running, 1)}`,
    message: "must not go below the version that runs (status.version): an engine cannot read the files of a newer one",
    fieldPath: ".spec.version",
  },
] as const;
