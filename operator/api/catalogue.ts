// The catalogue: which versions of each engine exist, and the image of each.
import { z } from "zod";
import { majorOf, upgradeProblems, versionPattern } from "../../contract/versions";
import { Engine } from "./spec";

/** What the server in an image cannot do of what its engine can. */
const ServerLimits = z.object({
  /** The most members. Default: as many as a Database may have. */
  replicas: z.int().min(1).optional(),
  /** False where the server takes no parameters. */
  config: z.literal(false).optional(),
  /** False where what is in the image beside the server knows no TLS, as before the field of the spec. */
  tls: z.literal(false).optional(),
});

/** What takes the files of the major version before over. */
const UpgradeImage = z.object({
  image: z.string().min(1),
  /** Version of the programs of that major version in this image: files of a newer minor are not taken over. */
  from: z.string().regex(versionPattern),
});

const Entry = z.object({
  image: z.string().min(1),
  /** Libraries of PostgreSQL in the image beside those of images/postgresql. Default: none. */
  libraries: z.array(z.string().min(1)).optional(),
  limits: ServerLimits.optional(),
  /** Default: no major upgrade leads to this version. */
  upgrade: UpgradeImage.optional(),
});
export type CatalogueEntry = z.infer<typeof Entry>;

/** Engine → version → image. */
export const Catalogue = z
  .partialRecord(Engine, z.record(z.string().regex(versionPattern), Entry))
  .superRefine((catalogue, context) => {
    for (const problem of upgradeProblems(catalogue)) context.addIssue({ code: "custom", ...problem });
  });
export type Catalogue = z.infer<typeof Catalogue>;

/** Whether the image of a major upgrade has programs of the same major version, and no older ones. */
export const carriesOver = (upgrade: { readonly from: string }, version: string): boolean =>
  majorOf(upgrade.from) === majorOf(version) && compareVersions(version, upgrade.from) <= 0;

/** The versions of an engine, highest first. */
export function versionsOf(catalogue: Catalogue, engine: Engine): string[] {
  return Object.keys(catalogue[engine] ?? {}).sort((a, b) => compareVersions(b, a));
}

/** Orders versions of the form `major.minor` by their numbers. */
export function compareVersions(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split(".").map(Number);
  const [majorB = 0, minorB = 0] = b.split(".").map(Number);
  return majorA - majorB || minorA - minorB;
}
