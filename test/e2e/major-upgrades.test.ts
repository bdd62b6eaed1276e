// PostgreSQL from one major version to the next, on a real node of its own: its images are two more, and what it copies is large.
import { onOneCluster } from "./acts";
import { imagesOfUpgrade, postgresqlUpgrade } from "./stories/postgresql-upgrade";

onOneCluster({ extraImages: imagesOfUpgrade }, [postgresqlUpgrade]);
