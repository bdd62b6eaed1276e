// Which steps from the version that runs the API server allows a Database: within a major version, up to another one, and back from there.
import { hasS3 } from "./destination";
import type { CelRule } from "./rules";
import { isNoStep, versionPart } from "./version";

const running = "oldSelf.status.version";
const wanted = "self.spec.version";
const upgrade = "oldSelf.status.upgrade";
const isUpgrading = `has(${upgrade})`;
const [wantedMajor, runningMajor] = [versionPart(wanted, 0), versionPart(running, 0)];
const isUp = `${wantedMajor} > ${runningMajor}`;

/** What is said of an upgrade for which there is no backup to rehearse it with; the reconcile says the same, and what to write instead. */
export const needsBackup =
  "a major upgrade is rehearsed with a backup on a volume: write backup.enabled: true, without s3";

const notBelow = `${wantedMajor} == ${runningMajor} && ${versionPart(wanted, 1)} >= ${versionPart(running, 1)}`;

/**
 * Rules over spec and status. The catalogue, which says what leads where, is the webhook's to read. `engine`: what the field is called in a
 * version of the API.
 */
export const versionStepRules = (engine: string): readonly CelRule[] =>
  [
    {
      rule: `!${isUpgrading} || ${wanted} == ${upgrade}.from || ${wanted} == ${upgrade}.to`,
      message:
        "must be one of the two versions of the major upgrade that is not complete (status.upgrade), until it is confirmed",
    },
    {
      rule: `!${isUpgrading} || ${upgrade}.phase != 'AwaitingConfirmation' || ${running} != ${upgrade}.from || ${wanted} != ${upgrade}.to`,
      message:
        "must stay: the files of the newer version are kept from an upgrade that was taken back; write spec.upgrade.confirmed, which removes them, before the next one",
    },
    {
      rule: `!${isUpgrading} || ${upgrade}.phase != 'Removing' || ${wanted} == ${running}`,
      message:
        "must stay: the version that runs was confirmed (spec.upgrade.confirmed), and the files of the other one are being removed",
    },
    {
      rule: `${isUpgrading} || ${isUp} || ${notBelow}`,
      message:
        "must not go below the version that runs (status.version): an engine cannot read the files of a newer one; a major upgrade can be taken back until it is confirmed",
    },
    {
      rule: `${isUpgrading} || !(${isUp}) || self.spec.${engine} == 'postgresql'`,
      message:
        "must stay within the major version that runs (status.version), as only PostgreSQL is upgraded to another one: create another Database and move the data",
    },
    {
      rule: `${isUpgrading} || !(${isUp}) || self.spec.${engine} != 'postgresql' || (self.spec.backup.enabled && !(${hasS3("self.spec")}))`,
      message: needsBackup,
    },
  ].map(({ rule, message }) => ({ rule: `${isNoStep} || (${rule})`, message, fieldPath: ".spec.version" }));
