// The programs of a database's pods, in one file: the first argument says which one.
import { log, textOf } from "./log";
import { runBackup } from "./mysql/backup/main";
import { runInit } from "./mysql/initialize";
import { backUp as backUpMongodb } from "./mongodb/backup/main";
import { initialize as initializeMongodb } from "./mongodb/initialize";
import { runMember as runMongodbMember } from "./mongodb/main";
import { runMember } from "./mysql/main";

const programs: Readonly<Record<string, () => Promise<void>>> = {
  "mysql-member": runMember,
  "mysql-init": runInit,
  "mysql-backup": runBackup,
  "mongodb-member": runMongodbMember,
  "mongodb-init": initializeMongodb,
  "mongodb-backup": backUpMongodb,
};

async function main(): Promise<void> {
  const [name = ""] = process.argv.slice(2);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) throw new Error(`there is no program "${name}": use ${Object.keys(programs).join(", ")}`);
  await program();
}

main().then(
  () => {
    process.exit(0);
  },
  (error: unknown) => {
    log("failed", { why: textOf(error) });
    process.exit(1);
  },
);
