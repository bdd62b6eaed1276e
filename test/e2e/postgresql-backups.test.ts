// The data of PostgreSQL on one real node: in object storage, in a new Database, and on volumes that fill up.
import { onOneCluster } from "./acts";
import { encryptedBackups } from "./stories/backups-encrypted";
import { backupsToObjectStorage } from "./stories/backups-s3";
import { deletionWithObjectStorage } from "./stories/deletion-s3";
import { drill } from "./stories/drill";
import { drillOfObjectStorage } from "./stories/drill-s3";
import { postgresqlImport } from "./stories/postgresql-import";
import { restore } from "./stories/restore";
import { restoreFromObjectStorage } from "./stories/restore-s3";
import { restoreOverTimelines } from "./stories/restore-timelines";
import { storageGrowth } from "./stories/storage-growth";

onOneCluster({}, [
  backupsToObjectStorage,
  encryptedBackups,
  restore,
  restoreFromObjectStorage,
  restoreOverTimelines,
  deletionWithObjectStorage,
  postgresqlImport,
  drill,
  drillOfObjectStorage,
  storageGrowth,
]);
