// The operator becomes another release of itself over real Databases of each engine: a file of its own, as both are settings of one cluster.
import { onOneCluster } from "./acts";
import { release } from "./stories/release";

onOneCluster({}, [release]);
