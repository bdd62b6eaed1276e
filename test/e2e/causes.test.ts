// What becomes of the members of a PostgreSQL on a real node, by whom and by what: whether `why` names it, and a change that was bad taken back.
import { onOneCluster } from "./acts";
import { causes } from "./stories/causes";

onOneCluster({ operator: "deployed", settings: { approverMayBeAuthor: false } }, [causes]);
