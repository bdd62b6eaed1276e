// The programs of a MySQL database's pods.
import { start } from "../main";
import { runArchive } from "./archive/main";
import { runBackup } from "./backup/main";
import { runImport } from "./import/main";
import { runInit } from "./initialize";
import { runMember } from "./main";
import { runRestore } from "./restore/main";
import { runStoredBackup } from "./stored/backup";
import { runVerify } from "./verify/main";

start({
  "mysql-member": runMember,
  "mysql-init": runInit,
  "mysql-backup": runBackup,
  "mysql-object-backup": runStoredBackup,
  "mysql-archive": runArchive,
  "mysql-restore": runRestore,
  "mysql-import": runImport,
  "mysql-verify": runVerify,
});
