import assert from "node:assert/strict";
import test from "node:test";
import { DatabaseSpec, type DatabaseSpecInput } from "../api/spec";
import { begunUpgrade } from "../domain/upgrade";
import { declaredOf, judgeChange } from "./judge";

type Changes = Partial<DatabaseSpecInput>;

const specOf = (changes: Changes): DatabaseSpec =>
  DatabaseSpec.parse({ engine: "postgresql", version: "17.6", storage: "20Gi", ...changes });

const volume = (fields: { size?: string; storageClass?: string }): Changes => ({
  backup: { destination: { volume: fields } },
});

/** What is said of the step from one spec, which ran, to another. */
function said(from: Changes, to: Changes): string {
  const outcome = judgeChange(declaredOf(specOf(from)), specOf(to), undefined);
  return outcome?.kind === "stalled" ? `${outcome.reason}: ${outcome.message}` : (outcome?.kind ?? "fine");
}

const refused: Record<string, { from: Changes; to: Changes; says: string }> = {
  "another engine": {
    from: {},
    to: { engine: "mysql" },
    says: "SpecInvalid: spec.engine: cannot be changed: write postgresql",
  },
  "less storage, and with it less for backups": {
    from: {},
    to: { storage: "5Gi" },
    says: "SpecInvalid: spec.storage: must not shrink: write 20Gi or more; spec.backup.destination.volume.size: must not shrink: write 20Gi or more",
  },
  "less storage, compared as a number and not as a text": {
    from: { storage: "100Gi", backup: { enabled: false } },
    to: { storage: "20Gi", backup: { enabled: false } },
    says: "SpecInvalid: spec.storage: must not shrink: write 100Gi or more",
  },
  "another storage class": {
    from: { storageClass: "fast", ...volume({ storageClass: "slow" }) },
    to: { storageClass: "faster", ...volume({ storageClass: "slow" }) },
    says: "SpecInvalid: spec.storageClass: cannot be changed: write fast",
  },
  "a storage class added": {
    from: { backup: { enabled: false } },
    to: { storageClass: "fast", backup: { enabled: false } },
    says: "SpecInvalid: spec.storageClass: cannot be changed: remove it",
  },
  "a storage class removed": {
    from: { storageClass: "fast", backup: { enabled: false } },
    to: { backup: { enabled: false } },
    says: "SpecInvalid: spec.storageClass: cannot be changed: write fast",
  },
  "a smaller backup volume": {
    from: volume({ size: "50Gi" }),
    to: volume({ size: "40Gi" }),
    says: "SpecInvalid: spec.backup.destination.volume.size: must not shrink: write 50Gi or more",
  },
  "a backup volume back to a smaller default": {
    from: volume({ size: "50Gi" }),
    to: {},
    says: "SpecInvalid: spec.backup.destination.volume.size: must not shrink: write 50Gi or more",
  },
  "another class of the backup volume": {
    from: volume({ storageClass: "slow" }),
    to: volume({ storageClass: "fast" }),
    says: "SpecInvalid: spec.backup.destination.volume.storageClass: cannot be changed: write slow",
  },
  "another major version": {
    from: {},
    to: { version: "18.0" },
    says: "UpgradeUnsupported: the data are those of major version 17, and no upgrade to 18 is in progress; write 17.6",
  },
  "a lower version, compared as a number and not as a text": {
    from: { version: "17.10" },
    to: { version: "17.9" },
    says: "UpgradeUnsupported: cannot go down from 17.10; write 17.10",
  },
};

for (const [sentence, { from, to, says }] of Object.entries(refused)) {
  test(`refused, with what to write: ${sentence}`, () => {
    assert.equal(said(from, to), says);
  });
}

const fine: Record<string, { from: Changes; to: Changes }> = {
  "more storage": { from: {}, to: { storage: "100Gi" } },
  "a larger backup volume": { from: volume({ size: "50Gi" }), to: volume({ size: "60Gi" }) },
  "backups off and the storage as it was": { from: volume({ size: "50Gi" }), to: { backup: { enabled: false } } },
  "backups on, with a volume of any size": { from: { backup: { enabled: false } }, to: volume({ size: "1Gi" }) },
  "the class of the backup volume named that it has by default": {
    from: { storageClass: "fast" },
    to: { storageClass: "fast", ...volume({ storageClass: "fast" }) },
  },
  "a higher version of the same major": { from: { version: "17.9" }, to: { version: "17.10" } },
  "everything that is free": {
    from: {},
    to: { replicas: 1, config: { work_mem: "8MB" }, deletionPolicy: "Delete", monitoring: { enabled: false } },
  },
};

for (const [sentence, { from, to }] of Object.entries(fine)) {
  test(`fine: ${sentence}`, () => {
    assert.equal(said(from, to), "fine");
  });
}

test("where nothing was declared yet, everything is fine", () => {
  assert.equal(judgeChange(undefined, specOf({ version: "9.1" }), undefined), undefined);
});

test("between the two versions of an upgrade in progress either may be declared, and no third one", () => {
  const images = { from: "a", to: "b", job: "c" };
  const upgrade = begunUpgrade("uid", { from: "15.20", to: "17.6", images });
  const step = (from: string, to: string): unknown =>
    judgeChange(declaredOf(specOf({ version: from })), specOf({ version: to }), upgrade)?.kind;
  assert.deepEqual(
    [step("15.20", "17.6"), step("17.6", "15.20"), step("17.6", "18.1")],
    [undefined, undefined, "stalled"],
  );
});
