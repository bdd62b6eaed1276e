// PostgreSQL on one real node: its stories, of which each has Databases of its own.
import { groupsVariable, isInForce } from "../runner/rotation";
import { onOneCluster } from "./acts";
import { admission } from "./stories/admission";
import { availability } from "./stories/availability";
import { decision } from "./stories/decision";
import { hardening } from "./stories/hardening";
import { imagesOfMinors, minors } from "./stories/minors";
import { networkPolicies } from "./stories/network-policies";
import { postgresql } from "./stories/postgresql";
import { restarts } from "./stories/restarts";
import { singleMember } from "./stories/single-member";
import { withoutOperator } from "./stories/without-operator";

// loading them takes its time
const extraImages = isInForce("postgresql-15", process.env[groupsVariable]) ? imagesOfMinors : [];

onOneCluster(
  { extraImages },
  {
    sideBySide: [postgresql, hardening, restarts, singleMember, minors],
    // admission and network policies last: what they install stays
    inTurn: [withoutOperator, availability, decision, admission, networkPolicies],
  },
);
