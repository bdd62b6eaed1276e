// CLONE by hand, in a pod with the backup volume: a copy needs a server that asks for it.
import type { Scene } from "../run/scene";
import type { Bare } from "./tool";
import { runInPod } from "./pod";
import { prelude } from "./steps";

const opening = `${prelude}
own=/tmp/own
mkdir -p "$own"
# Runs in the background with this data directory and these options; whether it answers is asked without a password.
server() {
  local data=$1
  shift
  mysqld --no-defaults --datadir="$data" --socket="$own/socket" --pid-file="$own/pid" --tmpdir="$own" --secure-file-priv=NULL --skip-networking --mysqlx=OFF \\
    --plugin-load-add='group_replication.so;mysql_clone.so' --group-replication-start-on-boot=OFF --event-scheduler=DISABLED \\
    --gtid-mode=ON --enforce-gtid-consistency=ON --performance-schema=OFF --innodb-buffer-pool-size=32M "$@" >/tmp/server 2>&1 &
  while [[ "$(mysql --user=root --socket="$own/socket" --execute='DO 0' 2>&1)" == *"Can't connect"* ]]; do
    kill -0 $! || { cat /tmp/server; return 1; }
    sleep 0.1
  done
}
sums() { find "$1" -type f -print0 | xargs --null sha256sum; }
`;

const backup = `${opening}
donor() { MYSQL_PWD="$REPLICATION_PASSWORD" mysql --user=replication --host="$PRIMARY_HOST" --port="$SERVER_PORT" --ssl-mode=REQUIRED -BN --execute="$1"; }
setting() { donor "select @@global.$1"; }
prepare() {
  mysqld --no-defaults --initialize-insecure --skip-log-bin --datadir="$own/data" --innodb-buffer-pool-size=32M
  server "$own/data" --skip-log-bin --clone-max-concurrency=4 --character-set-server="$(setting character_set_server)" \\
    --collation-server="$(setting collation_server)" --character-set-filesystem="$(setting character_set_filesystem)"
}
clone() {
  mysql --user=root --socket="$own/socket" <<END
SET GLOBAL clone_valid_donor_list = '$PRIMARY_HOST:$SERVER_PORT';
CLONE INSTANCE FROM 'replication'@'$PRIMARY_HOST':$SERVER_PORT IDENTIFIED BY '$REPLICATION_PASSWORD' DATA DIRECTORY = '/backup/.by-hand' REQUIRE SSL;
END
}
took prepare prepare
took copy clone
took check sums /backup/.by-hand
took flush sync --file-system /backup
kill "$(cat "$own/pid")"
rm -rf /backup/.by-hand
`;

const restore = `${opening}
took copy cp --archive "/backup/$LABEL/data" /data/by-hand
took check sums /data/by-hand
took start server /data/by-hand --skip-replica-start
took flush sync --file-system /data
kill "$(cat "$own/pid")"
`;

export const mysqlVolume = (scene: Scene): Bare => ({
  backup: () => runInPod(scene, { script: backup, as: "backup" }),
  restore: (label) => runInPod(scene, { script: restore, as: "member", label }),
});
