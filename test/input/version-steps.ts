// Steps from one version to another, and whether the API server allows them: it knows what runs, and of a major upgrade what the status says.

/** A change of a spec, and what is said of it. */
export interface VersionStep {
  readonly from: Readonly<Record<string, unknown>>;
  /** The version that runs. Missing: none does. */
  readonly runs?: string;
  /** The major upgrade in the status. */
  readonly during?: { readonly from: string; readonly to: string; readonly phase: string };
  readonly to: Readonly<Record<string, unknown>>;
  /** Missing: it is allowed. */
  readonly says?: string;
}

const upgrade = (phase: string): VersionStep["during"] => ({ from: "15.20", to: "17.12", phase });
const [former, next, third] = [{ version: "15.20" }, { version: "17.12" }, { version: "18.6" }];
const bare = { backup: { enabled: false } };
const stored = {
  backup: { destination: { s3: { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" } } } },
};
const mysql = { engine: "mysql" };

const oneOfTwo = "must be one of the two versions of the major upgrade that is not complete";
const needsBackup = "a major upgrade is rehearsed with a backup on a volume";

export const versionSteps: Readonly<Record<string, VersionStep>> = {
  "below the version that runs": {
    ...{ from: { version: "17.10" }, runs: "17.10", to: { version: "17.9" } },
    says: "must not go below the version that runs",
  },
  "below the major version that runs": {
    ...{ from: { version: "17.1" }, runs: "17.1", to: { version: "9.24" } },
    says: "must not go below the version that runs",
  },
  "above the major version that runs": { from: { version: "9.24" }, runs: "9.24", to: { version: "17.1" } },
  "above it without backups": {
    from: { ...former, ...bare },
    runs: "15.20",
    to: { ...next, ...bare },
    says: needsBackup,
  },
  "above it with backups in object storage": {
    ...{ from: { ...former, ...stored }, runs: "15.20", to: { ...next, ...stored } },
    says: needsBackup,
  },
  "above the major version of MySQL that runs": {
    ...{ from: { ...mysql, version: "9.7" }, runs: "9.7", to: { ...mysql, version: "10.1" } },
    says: "only PostgreSQL is upgraded to another one",
  },
  "above the minor version that runs": { from: { version: "17.9" }, runs: "17.9", to: { version: "17.10" } },
  "back from a version that never ran": { from: { version: "17.99" }, runs: "17.9", to: { version: "17.9" } },
  "down while nothing runs": { from: { version: "17.9" }, to: { version: "14.5" } },
  "back while an upgrade is rehearsed": { from: next, runs: "15.20", during: upgrade("Rehearsing"), to: former },
  "back before an upgrade is confirmed": {
    ...{ from: next, runs: "17.12", during: upgrade("AwaitingConfirmation"), to: former },
  },
  "forward again while files are put back": { from: former, runs: "15.20", during: upgrade("Converting"), to: next },
  "a third version during an upgrade": {
    ...{ from: next, runs: "15.20", during: upgrade("Gathering"), to: third },
    says: oneOfTwo,
  },
  "a later minor before an upgrade is confirmed": {
    ...{ from: next, runs: "17.12", during: upgrade("AwaitingConfirmation"), to: { version: "17.13" } },
    says: oneOfTwo,
  },
  "forward before the way back is confirmed": {
    ...{ from: former, runs: "15.20", during: upgrade("AwaitingConfirmation"), to: next },
    says: "write spec.upgrade.confirmed, which removes them, before the next one",
  },
  "back once an upgrade is confirmed": {
    ...{ from: next, runs: "17.12", during: upgrade("Removing"), to: former },
    says: "the files of the other one are being removed",
  },
  "something else with a third version that came past the rules": {
    ...{ from: third, runs: "17.12", during: upgrade("Starting"), to: { ...third, replicas: 5 } },
  },
};
