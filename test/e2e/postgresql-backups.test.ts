// The data of PostgreSQL on one real node: in object storage, restored by drills, and on volumes that fill up.
import { onOneCluster } from "./acts";
import { encryptedBackups } from "./stories/backups-encrypted";
import { backupsToObjectStorage } from "./stories/backups-s3";
import { deletionWithObjectStorage } from "./stories/deletion-s3";
import { drill } from "./stories/drill";
import { drillOfObjectStorage } from "./stories/drill-s3";
import { storageGrowth } from "./stories/storage-growth";

onOneCluster({}, [
  backupsToObjectStorage,
  encryptedBackups,
  deletionWithObjectStorage,
  drill,
  drillOfObjectStorage,
  storageGrowth,
]);
