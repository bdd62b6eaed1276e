// TLS of PostgreSQL on a real node of its own: its operator issues certificates that live for minutes.
import { onOneCluster } from "./acts";
import { tls } from "./stories/tls";

onOneCluster({}, [tls]);
