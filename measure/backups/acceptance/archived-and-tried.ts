// Cases 7 to 11: changes that arrive late or never, other timelines, and backups that are tried.
import { added, inParts, story, type AcceptanceCase } from "./case";

export const archivedAndTried: readonly AcceptanceCase[] = [
  {
    number: 7,
    promise: "While the object storage is away under load, clients see no error, and afterwards no WAL is missing.",
    engines: ["postgresql"],
    heldBy: [story("backups-s3", "while the object storage is away clients write, and afterwards it gets everything")],
    open: "an outage of five minutes: the test lasts until the condition says so",
  },
  {
    number: 8,
    promise:
      "Where too much WAL waits it is given up: that is told, a drill finds it, and a complete backup is taken as soon as the storage is back, after which a drill passes.",
    engines: ["postgresql"],
    heldBy: [
      added(story("backups-s3", "a drill before an outage passes")),
      added(story("backups-s3", "what waits beyond a quarter of the volume is given up, and that is told")),
      added(story("backups-s3", "a drill behind the gap, before anything has closed it, names what is missing")),
      added(
        story(
          "backups-s3",
          "as WAL arrives again another backup is taken, from which on there is no gap, and a drill passes",
        ),
      ),
      story(
        "postgresql-point-in-time",
        "WAL that the primary gave up before it was copied: the gap is named, and closed by a backup",
      ),
    ],
  },
  {
    number: 9,
    promise: "A Database that starts again over lost volumes removes no backup of the former one.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story(
        "deletion-s3",
        "over no volumes the same name is another cluster, whose retention removes nothing of the former",
      ),
      inParts(
        "operator/backups/controller.test.ts",
        "the record of what retention removed goes, and that of what is kept or of another cluster stays",
      ),
    ],
    open: "of MySQL with real servers",
  },
  {
    number: 10,
    promise: "A restore crosses a failover and a switchover, during a backup and between two segments of WAL.",
    engines: ["postgresql", "mysql"],
    heldBy: [
      story(
        "mysql-point-in-time",
        "the primary is killed between two files, and the program that keeps them as well: nothing is missing",
        "pod",
      ),
      added(story("mysql-point-in-time", "a person has another member lead between two files: nothing is missing")),
      story("mysql-point-in-time", "others begin with everything, up to the last change or to a quiet moment after it"),
      story("restore-timelines", "a primary is lost while a backup of it is taken and its WAL is on its way", "pod"),
      story("restore-timelines", "another one is lost between two commits that are seconds apart", "pod"),
      story(
        "postgresql-point-in-time",
        "the primary is lost between two segments, and then the program that keeps them: nothing is missing",
        "pod",
      ),
      added(story("restore-timelines", "a person has another member lead between two segments, by patronictl")),
      story("restore-timelines", "restored to the last of it, a Database has the rows of all timelines"),
      story(
        "restore-timelines",
        "restored to a moment of the second timeline, it has the rows of the first two up to then",
      ),
      inParts(
        "agent/postgresql/backup/continuity.test.ts",
        "after a failover the next timeline continues, with or without a segment of both",
      ),
    ],
  },
  {
    number: 11,
    promise: "A drill finds a damaged file, WAL that is missing and a query that does not hold, and leaves no claim.",
    engines: ["postgresql", "mysql", "mongodb"],
    heldBy: [
      story(
        "drill",
        "the newest backup is restored, read and asked; how long that took is known, and its volume goes with the Job",
      ),
      story(
        "drill",
        "a drill whose pod is killed says nothing of the backup, is not repeated, and leaves no volume",
        "pod",
      ),
      story(
        "drill",
        "a byte that flipped in the backup is found and named, by the Database, the backup and the alert's metric",
      ),
      story("drill", "a query that does not hold is named, and what it returned is not told"),
      story(
        "drill-s3",
        "the newest backup is restored with all WAL behind it, and asked; its volume goes with the Job",
      ),
      story(
        "drill-s3",
        "a drill without room, one whose pod is killed, and one while the storage is away say nothing, and leave no volume",
        "operator",
        "pod",
      ),
      story("drill-s3", "a byte that flipped in the backup is found"),
      story("drill-s3", "WAL that is missing behind the backup is found and named"),
      story("drill-s3", "a query that does not hold is named, and what it returned is not told"),
      story(
        "mysql-drill",
        "the newest backup is restored with all changes behind it, and asked; its volume goes with the Job",
      ),
      story(
        "mysql-drill",
        "a drill without room, one whose pod is killed, and one whose Job is deleted say nothing, and leave no volume",
        "pod",
      ),
      story("mysql-drill", "a byte that flipped in the backup is found, and its file is named"),
      story("mysql-drill", "a binary log that is missing behind the backup is found"),
      story(
        "mysql-drill",
        "a query that does not hold is named, and what it returned is not told; one that writes, or reads the server's own, fails",
      ),
      story(
        "mongodb-drill",
        "the newest backup is loaded and compared; how long that took is known, and its volume goes with the Job",
      ),
      story(
        "mongodb-drill",
        "a drill without room, one whose pod is killed, and one whose Job is deleted say nothing, and leave no volume",
        "pod",
      ),
      story("mongodb-drill", "a byte that flipped in the backup is found"),
    ],
    open: "a real mongod",
  },
];
