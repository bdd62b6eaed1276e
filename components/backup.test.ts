import assert from "node:assert/strict";
import test from "node:test";
import { engineNames } from "../contract/engines";
import { backupCronJobOf, backupPodOf, finalBackupJobOf, firstBackupJobOf, keptBackupsOf } from "./backup";
import { engineOf } from "./engines/available";
import { settingsOf } from "./settings";

for (const name of engineNames) {
  test(`to keep a backup of ${name} changes one ConfigMap, and neither repeats a Job nor changes one`, () => {
    const of = (kept: readonly string[]): Record<string, unknown> => {
      const settings = settingsOf("shop", {
        ...{ namespace: "team", engine: name, version: "1.0", image: "i:1" },
        backup: { kept },
      });
      const spec = { containers: [] };
      const jobs = [firstBackupJobOf(settings, spec), finalBackupJobOf(settings, "u/1", spec)];
      return {
        jobs: [...jobs, backupCronJobOf(settings, spec), backupPodOf(settings, engineOf(name))],
        kept: keptBackupsOf(settings).data,
      };
    };
    const [none, two] = [of([]), of(["shop-20261121T020003Z", "shop-20261122T020003Z"])];
    assert.deepEqual(none["jobs"], two["jobs"]);
    assert.deepEqual(none["kept"], { kept: "" });
    assert.deepEqual(two["kept"], { kept: "shop-20261121T020003Z shop-20261122T020003Z" });
  });
}
