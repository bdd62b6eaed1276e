// The data of PostgreSQL on one real node, in a new Database: from a backup, from what object storage has, and from a server elsewhere.
import { onOneCluster } from "./acts";
import { postgresqlImport } from "./stories/postgresql-import";
import { postgresqlPointInTime } from "./stories/postgresql-point-in-time";
import { restore } from "./stories/restore";
import { restoreFromObjectStorage } from "./stories/restore-s3";
import { restoreOverTimelines } from "./stories/restore-timelines";

onOneCluster({}, [restore, restoreFromObjectStorage, restoreOverTimelines, postgresqlPointInTime, postgresqlImport]);
