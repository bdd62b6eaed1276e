// The programs of a PostgreSQL database's pods. Each is loaded on its own: most start each time while something waits for them.
import { start } from "../main";

start({
  "postgresql-watch": async () => (await import("./watch/main.js")).watch(),
  "postgresql-handover": async () => (await import("./hand-over/main.js")).handOver(),
  "postgresql-copy": async () => (await import("./copy/main.js")).copyData(),
  "postgresql-roles": async () => (await import("./server/bootstrap.js")).beginAsPatroniAsks(),
  "postgresql-init": async () => (await import("./initialize.js")).initialize(),
  "postgresql-backup-identity": async () => (await import("./backup/identity.js")).prepareServer(),
  "postgresql-object-backup": async () => (await import("./backup/main.js")).backUp(),
  "postgresql-archive": async () => (await import("./archive/main.js")).keepWal(),
  "postgresql-restore": async () => (await import("./restore/main.js")).restore(),
  "postgresql-import": async () => (await import("./import/main.js")).importDatabase(),
  "postgresql-verify": async () => (await import("./verify/main.js")).verify(),
  "postgresql-files": async () => (await import("./files/main.js")).judgeFiles(),
  "postgresql-upgrade": async () => (await import("./upgrade/main.js")).upgrade(),
  "postgresql-parameters": async () => (await import("./parameters.js")).writeParameters(),
});
