// Which backup in object storage a drill restores.
import assert from "node:assert/strict";
import test from "node:test";
import { backupOf } from "../../../test/fakes/pgbackrest";
import { DrillEnd } from "../../verify/decide";
import type { Backup, ClusterBackups } from "../backup/catalogue";
import { newestStored } from "./choice";

const at = { location: "s3://backups/shop/orders", serverMajor: "17", free: 1024 ** 4 };

const of = (cluster: string, backups: readonly Backup[], some: Partial<ClusterBackups> = {}): ClusterBackups => ({
  ...{ cluster, backups, isUnreadable: false },
  majors: new Map(backups.map(({ label }) => [label, "17"])),
  ...some,
});
const stopped = (label: string, stoppedAt: number, some: Partial<Backup> = {}): Backup =>
  backupOf(label, { stoppedAt, ...some });

/** Its label, or what is found, and why. */
function chosen(clusters: readonly ClusterBackups[], some: Partial<typeof at> = {}): readonly string[] {
  try {
    const { cluster, backup } = newestStored(clusters, { ...at, ...some });
    return [cluster, backup.label];
  } catch (error) {
    return error instanceof DrillEnd ? [error.finding, error.message] : [String(error)];
  }
}

test("the newest of all clusters counts: the present one follows one whose volumes were lost", () => {
  const clusters = [of("2", [stopped("B1", 300)]), of("1", [stopped("A1", 100), stopped("A2", 200)])];
  assert.deepEqual(chosen(clusters), ["2", "B1"]);
  assert.deepEqual(chosen(clusters.toReversed()), ["2", "B1"]);
});

test("where several clusters have backups it is known that there are others", () => {
  const own = of("2", [stopped("B1", 300)]);
  const isOneOf = (...others: readonly ClusterBackups[]): boolean => newestStored([own, ...others], at).isOneOfSeveral;
  assert.deepEqual([isOneOf(), isOneOf(of("1", [])), isOneOf(of("1", [stopped("A1", 100)]))], [false, false, true]);
});

test("one that was found damaged when it was taken is left out, as a restore does, and so is what needs it", () => {
  const full = stopped("F1", 100);
  const damaged = stopped("F2", 200, { isDamaged: true });
  const differential = stopped("F2_D", 300, { needs: ["F2"] });
  assert.deepEqual(chosen([of("1", [full, damaged, differential])]), ["1", "F1"]);
  assert.equal(chosen([of("1", [damaged, differential])])[0], "BackupDamaged");
});

test("none, one that does not fit the passphrase, the server or the volume says nothing of a backup", () => {
  assert.match(chosen([]).join(" "), /^NoBackup there is no backup in s3:/);
  assert.match(chosen([of("1", [], { isUnreadable: true })]).join(" "), /^NoBackup .* do not fit the passphrase/);
  assert.equal(chosen([of("1", [stopped("A1", 1)])], { serverMajor: "18" })[0], "VersionMismatch");
  assert.match(chosen([of("1", [stopped("A1", 1, { size: 1024 ** 3 })])], { free: 1024 ** 3 }).join(" "), /^NoRoom A1/);
});
