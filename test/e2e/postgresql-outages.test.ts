// PostgreSQL on one real node where much is missing: other members, the operator, all members at once.
import { onOneCluster } from "./acts";
import { availability } from "./stories/availability";
import { decision } from "./stories/decision";
import { singleMember } from "./stories/single-member";
import { withoutOperator } from "./stories/without-operator";

onOneCluster({}, [singleMember, withoutOperator, availability, decision]);
