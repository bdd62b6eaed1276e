import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, stepOf } from "../../test/fakes/previewed";
import { consequencesOf } from "./table";

test("the volume on which backups are made is neither one of data nor one of backups: that it grows is told as nothing", () => {
  const growth = { kind: "change", path: "spec.resources.requests.storage", before: "10Gi", after: "20Gi" } as const;
  const told = (claim: string): string =>
    consequencesOf([stepOf(`PersistentVolumeClaim ${claim}`, "update", [growth])], circumstances())
      .map(({ message }) => message)
      .join("\n");
  assert.match(told("data-shop-0"), /^the data volume grows/);
  assert.match(told("shop-backup"), /^the backup volume grows/);
  assert.doesNotMatch(told("shop-backup-staging"), /grows/);
});
