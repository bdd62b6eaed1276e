// The platform as `pulumi up` installs it with an image: the operator runs in the cluster that it manages.
import { onOneCluster } from "./acts";
import { changePolicy } from "./stories/change-policy";
import { deployedOperator } from "./stories/deployed-operator";
import { installedPlatform } from "./stories/installed-platform";
import { operatorHandover } from "./stories/operator-handover";

onOneCluster({ operator: "deployed" }, [deployedOperator, installedPlatform, changePolicy, operatorHandover]);
