// The data of MySQL on one real node: back to a moment.
import { onOneCluster } from "./acts";
import { mysqlPointInTime } from "./stories/mysql-point-in-time";

onOneCluster({}, [mysqlPointInTime]);
