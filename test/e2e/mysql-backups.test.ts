// The data of MySQL on one real node: back to a moment, and restored by drills.
import { onOneCluster } from "./acts";
import { mysqlDrill } from "./stories/mysql-drill";
import { mysqlPointInTime } from "./stories/mysql-point-in-time";

onOneCluster({}, [mysqlPointInTime, mysqlDrill]);
