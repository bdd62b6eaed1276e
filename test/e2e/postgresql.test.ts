// PostgreSQL on one real node: its stories, of which each has Databases of its own.
import { imagesOfMinors } from "../harness/built-versions";
import type { GroupName } from "../runner/groups";
import { groupsVariable, isInForce } from "../runner/rotation";
import { onOneCluster } from "./acts";
import { admission } from "./stories/admission";
import { copies } from "./stories/copies";
import { hardening } from "./stories/hardening";
import { minors } from "./stories/minors";
import { networkPolicies } from "./stories/network-policies";
import { postgresql } from "./stories/postgresql";
import { restarts } from "./stories/restarts";
import { superuserOfPostgresql } from "./stories/superuser";
import { postgresqlSettings } from "./stories/session-settings";

// to build them takes its time
const isTold = (group: GroupName): boolean => isInForce(group, process.env[groupsVariable]);
const extraImages = [
  ...(isTold("postgresql-15") ? imagesOfMinors : []),
  ...(isTold("postgresql-wal-gone") ? ["postgresql-18"] : []),
];

// admission and network policies last: what they install stays
onOneCluster({ extraImages }, [
  postgresql,
  hardening,
  copies,
  restarts,
  superuserOfPostgresql,
  postgresqlSettings,
  minors,
  admission,
  networkPolicies,
]);
