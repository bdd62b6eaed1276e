// The programs of a MongoDB database's pods.
import { start } from "../main";
import { backUp } from "./backup/main";
import { runImport } from "./import/main";
import { initialize } from "./initialize";
import { runMember } from "./main";
import { runRestore } from "./restore/main";
import { runVerify } from "./verify/main";

start({
  "mongodb-member": runMember,
  "mongodb-init": initialize,
  "mongodb-backup": backUp,
  "mongodb-restore": () => runRestore(),
  "mongodb-import": () => runImport(),
  "mongodb-verify": () => runVerify(),
});
