// Cases 1 to 6: backups that are taken and restored.
import { added, everyStory, fileStory, inParts, measured, proven, story, type AcceptanceCase } from "./case";

const backups = "test/cluster/backups.test.ts";

export const takenAndRestored: readonly AcceptanceCase[] = [
  {
    number: 1,
    promise:
      "A backup by hand, by schedule, and the last one of a Database has an object that tells where it lies and how large it is.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story("backups-s3", "a Database is backed up to object storage as soon as it is there, and has no volume for it"),
      story("backups-s3", "the next one holds what has changed, is read from the replica, and no client notices"),
      everyStory(
        "postgresql",
        "a backup is taken, verified, listed and shown in the status; only the last ones are kept",
      ),
      everyStory("mysql", "a DatabaseBackup that is applied takes one"),
      added(
        story(
          "deletion-s3",
          "a backup that is killed while it copies is completed by another attempt, and no part of it is left in the bucket",
          "job",
        ),
      ),
      added(story("deletion-s3", "once it is back the last backup is taken, and only then the data go")),
      proven("deletion.snapshotRestored", "real"),
      inParts(backups, "the first backup, scheduled ones and those by hand are recorded"),
      inParts(
        backups,
        "an operator that is killed while it begins backups leaves one Job for each, and its successor records them",
        "operator",
      ),
      measured("postgresql-s3", "backup"),
      measured("postgresql-volume", "backup"),
      measured("mysql-volume", "backup"),
    ],
  },
  {
    number: 2,
    promise: "A restore to a moment between two commits that are 2 s apart has exactly the rows of the first.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story(
        "restore-s3",
        "a Database begins between two commits of another one that are 2 s apart, with exactly the first",
      ),
      story("mysql-point-in-time", "a Database begins between two commits that are 2 s apart, with exactly the first"),
      story(
        "postgresql-point-in-time",
        "a Database begins between two commits that are 2 s apart, with exactly the first",
      ),
      measured("postgresql-s3", "moment"),
    ],
  },
  {
    number: 3,
    promise: "A moment is reached after which nothing was written.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story(
        "restore-s3",
        "a moment after the last commit of a quiet database is reached, although the first attempt was killed",
        "operator",
        "pod",
      ),
      story("mysql-point-in-time", "others begin with everything, up to the last change or to a quiet moment after it"),
      story(
        "postgresql-point-in-time",
        "others begin with everything, over the change of the primary, and with a quiet moment",
      ),
    ],
  },
  {
    number: 4,
    promise:
      "A moment before or after what is there or in a gap, another major version, a wrong key and a flipped byte are refused by name, and leave no claim.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story("mysql-point-in-time", "a moment before the first backup, and one that has not come, are refused by name"),
      story(
        "mysql-point-in-time",
        "behind the gap no restore is possible up to the backup that closed it; plain ones are, and those before and after",
      ),
      story(
        "restore-s3",
        "a moment before the first backup, or behind what has arrived, is refused by name, and leaves no volume",
      ),
      story(
        "postgresql-point-in-time",
        "a moment before the first backup, and one that has not come, are refused by name",
      ),
      story(
        "postgresql-point-in-time",
        "no restore gets across the gap; those to before it and behind the backup that closed it do",
      ),
      added(story("backups-s3", "a moment in the gap is refused by name, and leaves no volume")),
      added(
        story(
          "postgresql-upgrade",
          "a backup of another major version is refused by name, by the operator and by the program, and leaves no volume",
        ),
      ),
      story("backups-s3", "a wrong key is named, and the right one counts without a restart"),
      story("backups-encrypted", "another passphrase than before is named, and the former one counts again"),
      story("backups-encrypted", "a complete backup that is damaged where it lies is replaced at once, and says so"),
      story(
        "drill",
        "a byte that flipped in the backup is found and named, by the Database, the backup and the alert's metric",
      ),
      inParts(
        "agent/postgresql/restore/choice.test.ts",
        "files of another major version, and those that do not fit, are refused before any is copied",
      ),
      inParts(
        "agent/postgresql/restore/recovery.test.ts",
        "a replay that ends before what was there is noticed, whatever made it end",
      ),
    ],
  },
  {
    number: 5,
    promise:
      "A Database that is gone is restored; one that is there is not touched, and what it has archived stays byte for byte as it is.",
    engines: ["postgresql", "mysql", "mongodb"],
    heldBy: [
      story(
        "restore-s3",
        "restored source: its archive is byte-identical afterwards, and it need not be there any more",
      ),
      story(
        "restore",
        "of a Database that is gone the newest backup is taken, although the first attempt was cut off",
        "pod",
      ),
      fileStory(
        "disaster-recovery",
        "what came back has passwords of its own, and is backed up beside the former cluster, which stays byte for byte",
      ),
      story(
        "mysql-restore",
        "in place, under the same name: only once nothing is left by which members would want newer data",
      ),
      story(
        "mongodb-restore",
        "the newest backup of a Database that is gone restores it under its name, once nothing of its set is left",
      ),
    ],
    open: "a real mongod: what MongoDB's tests run is FerretDB",
  },
  {
    number: 6,
    promise: "What was restored has passwords, an archive, replicas and backups of its own.",
    engines: ["postgresql", "mysql", "mongodb"],
    heldBy: [
      story(
        "restore",
        "a Database begins with a backup of another one: its rows, passwords of its own, replicas and backups of its own",
      ),
      story(
        "restore-s3",
        "what was restored archives into a place of its own, and is backed up and restored as any other",
      ),
      fileStory(
        "disaster-recovery",
        "what came back has passwords of its own, and is backed up beside the former cluster, which stays byte for byte",
      ),
      story(
        "mysql-restore",
        "a Database begins with it, although its pod and the operator are killed: a first member with the data",
        "operator",
        "pod",
      ),
      story("mysql-restore", "it has rows, accounts and grants, passwords of its own, three members, a backup"),
      story(
        "mongodb-restore",
        "a Database begins with it, although its pod, its Job and the operator are killed",
        "operator",
        "pod",
      ),
      story(
        "mongodb-restore",
        "it has documents and indexes, passwords of its own, and a backup; the other one is as it was",
      ),
      measured("postgresql-s3", "restore"),
      measured("postgresql-volume", "restore"),
      measured("mysql-volume", "restore"),
    ],
    open: "a real mongod, with members",
  },
];
