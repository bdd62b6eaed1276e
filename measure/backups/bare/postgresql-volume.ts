// PostgreSQL's own tools by hand, in a pod with the backup volume.
import type { Scene } from "../run/scene";
import type { Bare } from "./tool";
import { runInPod } from "./pod";
import { postgresqlServer, prelude } from "./steps";

const backup = `${prelude}
took copy pg_basebackup --no-password --host="$PRIMARY_HOST" --pgdata=/backup/by-hand --format=plain --wal-method=stream --checkpoint=fast
took check pg_verifybackup --quiet /backup/by-hand
rm -rf /backup/by-hand
`;

const restore = `${prelude}${postgresqlServer}
took copy cp --archive "/backup/$LABEL" /data/by-hand
took check pg_verifybackup --quiet /data/by-hand
chmod 0700 /data/by-hand
took start server /data/by-hand pg_isready --host=/tmp --port=5499
took flush sync --file-system /data
pg_ctl --pgdata=/data/by-hand --mode=immediate stop >/dev/null
`;

export const postgresqlVolume = (scene: Scene): Bare => ({
  backup: () => runInPod(scene, { script: backup, as: "backup" }),
  restore: (label) => runInPod(scene, { script: restore, as: "member", label }),
});
