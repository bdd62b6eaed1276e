// Cases 12 to 22: what is kept, upgraded, grown, deleted and brought from elsewhere.
import { added, everyStory, fileStory, inParts, proven, story, type AcceptanceCase } from "./case";

const backups = "test/cluster/backups.test.ts";
const storage = "test/cluster/storage.test.ts";

const appliedAgain =
  "its volume grows, and with the spec of before, applied again, it does not shrink, restart, or cease to be Ready";

export const keptAndDeleted: readonly AcceptanceCase[] = [
  {
    number: 12,
    promise:
      "Retention keeps as many backups as it says and those that a person keeps; a backup that is missed raises an alert.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      everyStory(
        "postgresql",
        "a DatabaseBackup that is applied takes one, which stays beyond retention as long as it is kept",
      ),
      everyStory(
        "postgresql",
        "where another backup would not fit, the oldest is removed before it is taken, and the newest stays",
      ),
      inParts(
        backups,
        "what is kept reaches the programs without any Job being repeated, and the record of what retention removed goes",
      ),
      inParts(
        "agent/postgresql/backup/retention.test.ts",
        "what retention does not keep goes, but for a complete one that another one needs",
      ),
      inParts("test/cluster/alerts.test.ts", "DatabaseBackupOverdue"),
    ],
  },
  {
    number: 13,
    promise: "Where the last backup under Snapshot cannot be taken, nothing is removed.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story(
        "deletion-s3",
        "while the object storage is away, a deletion under Snapshot destroys nothing, and says what it waits for",
      ),
      story("deletion-s3", "once it is back the last backup is taken, and only then the data go"),
      proven("deletion.backupHangs", "simulated"),
      proven("deletion.backupFails", "simulated"),
    ],
    open: "of MySQL with real servers",
  },
  {
    number: 14,
    promise: "Deleted under Retain and applied again under the same name, a Database has the same rows.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      everyStory("postgresql", "deleted and applied again under Retain: the rows are there and the old password works"),
      story(
        "mysql-kept",
        "deleted under writes, and applied again with one member: it leads with every acknowledged row, and others join it later",
      ),
      proven("deletion.retainedAgain", "simulated"),
    ],
  },
  {
    number: 15,
    promise: "An upgrade to the next major version survives a kill at every step, and can be taken back.",
    engines: ["postgresql"],
    heldBy: [
      story("postgresql-upgrade", "it is rehearsed and backed up while clients write, and they notice nothing"),
      story("postgresql-upgrade", "it is carried out, and each row that was acknowledged comes along"),
      story(
        "postgresql-upgrade",
        "it is taken back with the operator killed on the way: what was written since is not there, and its files are kept",
        "operator",
      ),
      story("postgresql-upgrade", "the pod of the conversion is killed, and another one completes it", "pod"),
      fileStory(
        "postgresql-upgrade",
        "it is taken back after writes: the former rows are there, and the newer ones are kept beside",
      ),
      inParts(
        "operator/reconcile/upgrade-whole.test.ts",
        "there, confirmed: each phase in its order, and nothing is left of it on record",
      ),
    ],
  },
  {
    number: 16,
    promise: "An upgrade that cannot work is refused by its rehearsal, without any downtime.",
    engines: ["postgresql"],
    heldBy: [
      added(
        story(
          "postgresql-upgrade",
          "what the new version cannot have is named by the rehearsal; clients write meanwhile, and no member is touched",
        ),
      ),
      fileStory(
        "postgresql-upgrade",
        "a backup with a file that is another one than its manifest says is no ground for an upgrade",
      ),
      fileStory(
        "postgresql-upgrade",
        "what pg_upgrade stumbles over is told in the words of its logs, without a password, and is not tried again",
      ),
      inParts(
        "operator/reconcile/upgrade-ways.test.ts",
        "a Job that fails before anything was stopped, or on the way back, is a person's to decide about, with its words",
      ),
    ],
    open: "a target that is older than what runs: images are built of one pair of versions, whose target is as new",
  },
  {
    number: 17,
    promise: "An upgrade on a volume that shares no blocks between files copies them, or is refused.",
    engines: ["postgresql"],
    heldBy: [
      added(
        fileStory(
          "postgresql-upgrade",
          "on a volume that shares no blocks it is rehearsed, and carried out with a copy of the contents",
        ),
      ),
      added(
        fileStory(
          "postgresql-upgrade",
          "without room for that copy it is refused for good before anything is copied, and the former files are untouched",
        ),
      ),
      added(
        fileStory(
          "postgresql-upgrade",
          "killed while it copies contents, the next attempt completes it, and the former files are untouched",
          "job",
        ),
      ),
      inParts(
        "agent/postgresql/upgrade/room.test.ts",
        "a volume without room for the files is refused before anything is copied, and nothing of the look is left",
      ),
    ],
    open: "with operator and members: the upgrade's program alone runs on such a file system",
  },
  {
    number: 18,
    promise:
      "A volume that data fill grows, one that a stuck archive fills does not and says why, and a server on a full one comes back.",
    engines: ["postgresql"],
    heldBy: [
      story(
        "storage-growth",
        "a volume that clients fill grows before it is full, on all members, and no client notices",
      ),
      story(
        "storage-growth",
        "a volume that is full at once stops its server; it grows without a person, and the server comes back with its rows",
      ),
      inParts(storage, "WAL that a replication slot holds grows nothing: the condition names the slot, and what to do"),
    ],
    open: "WAL of a stuck archive with real servers",
  },
  {
    number: 19,
    promise: "Where the spec is applied again after a volume has grown, it does not shrink.",
    engines: ["postgresql", "mysql", "mongodb"],
    heldBy: [
      added(
        story(
          "storage-growth",
          "the spec of before is applied again: nothing shrinks, no member restarts, and it is Ready all the time",
        ),
      ),
      added(story("mysql-drill", appliedAgain)),
      added(story("mongodb-drill", appliedAgain)),
      inParts(
        storage,
        "volumes grow where one is full of data; the size stays when the spec is applied again, and a new member has it",
      ),
      inParts(storage, "with the operator's records lost, what has grown stays so"),
    ],
    open: "a real mongod",
  },
  {
    number: 20,
    promise: "A Database begins with the data of a server elsewhere.",
    engines: ["postgresql", "mysql", "mongodb"],
    heldBy: [
      story(
        "postgresql-import",
        "cut off while it loads it begins again, and then has all rows of one moment, of which the status tells",
        "operator",
        "pod",
      ),
      story(
        "postgresql-import",
        "with a wrong password nothing starts, and the server's word is told; with the right one the Job begins again",
      ),
      story(
        "mysql-import",
        "cut off while it loads it begins again, and then all members have all rows",
        "operator",
        "pod",
      ),
      story("mysql-import", "a user who may not see a database gets nothing, and is told what is missing"),
      story("mongodb-import", "cut off while it loads it begins again, and then has all documents and indexes", "pod"),
      story("mongodb-import", "with a wrong password nothing starts, and the server's word is told"),
    ],
    open: "a server outside of the cluster, and a way that is verified; a real mongod",
  },
  {
    number: 21,
    promise: "A namespace is deleted: the bucket stays as it is, and nothing hangs.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story("deletion-s3", "its namespace is deleted: that does not hang, and the bucket stays as it is"),
      proven("deletion.namespaceDeleted", "simulated"),
    ],
  },
  {
    number: 22,
    promise: "After a restore MySQL has the accounts and grants of the backup.",
    engines: ["mysql"],
    heldBy: [
      story(
        "mysql-restore",
        "a Database begins with it, although its pod and the operator are killed: a first member with the data",
        "operator",
        "pod",
      ),
      story("mysql-restore", "it has rows, accounts and grants, passwords of its own, three members, a backup"),
    ],
  },
];
