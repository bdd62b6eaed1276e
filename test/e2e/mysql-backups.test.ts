// The data of MySQL on one real node: back to a moment, restored by drills, and in object storage.
import { onOneCluster } from "./acts";
import { mysqlDrill } from "./stories/mysql-drill";
import { mysqlPointInTime } from "./stories/mysql-point-in-time";
import { mysqlToObjectStorage } from "./stories/mysql-s3";

onOneCluster({}, [mysqlPointInTime, mysqlDrill, mysqlToObjectStorage]);
