// MySQL and MongoDB on one real node, and what a Prometheus hears of Databases of two engines.
import { onOneCluster } from "./acts";
import { firstStart } from "./stories/first-start";
import { mongodb, mongodbAgain } from "./stories/mongodb";
import { mongodbDrill } from "./stories/mongodb-drill";
import { mongodbImport } from "./stories/mongodb-import";
import { mongodbRestore } from "./stories/mongodb-restore";
import { monitoring } from "./stories/monitoring";
import { mysql } from "./stories/mysql";
import { mysqlImport } from "./stories/mysql-import";
import { mysqlKept } from "./stories/mysql-kept";
import { mysqlRestore } from "./stories/mysql-restore";
import { mysqlWithoutOperator } from "./stories/mysql-without-operator";
import { superuserOfMysql } from "./stories/superuser";
import { mysqlSettings } from "./stories/session-settings";

onOneCluster({}, [
  mysql,
  mongodb,
  mongodbRestore,
  mongodbImport,
  mongodbDrill,
  monitoring,
  superuserOfMysql,
  mysqlWithoutOperator,
  mysqlKept,
  mysqlRestore,
  mysqlImport,
  mysqlSettings,
  firstStart,
  mongodbAgain,
]);
