// Scripts of the shell that take the time of their steps, and what they print. Pure.

/** How long each step took, in seconds, by its name. */
export type Steps = ReadonlyMap<string, number>;

/** `took <name> <command> …` runs a command, prints how long it took, and ends the script where it fails. What the command prints is not told. */
export const prelude = `
set -euo pipefail
took() {
  local name=$1 from
  from=$(date +%s%N)
  shift
  "$@" >/tmp/said 2>&1 || { tail --lines=20 /tmp/said >&2; exit 1; }
  echo "took $name $(($(date +%s%N) - from))"
}
`;

/**
 * `server <data directory> <command that ends well once it takes statements …>` starts a PostgreSQL server that no one else reaches, with nothing of the
 * former one's configuration but what says where its WAL is.
 */
export const postgresqlServer = `
server() {
  local data=$1
  shift
  : >/tmp/by-hand.conf
  echo 'local all all trust' >/tmp/by-hand.hba
  postgres -D "$data" -p 5499 -c config_file=/tmp/by-hand.conf -c hba_file=/tmp/by-hand.hba -c listen_addresses= -c unix_socket_directories=/tmp \\
    -c shared_buffers=32MB -c archive_mode=off -c hot_standby=off >/tmp/server 2>&1 &
  until "$@" >/dev/null 2>&1; do
    kill -0 $! || { cat /tmp/server; return 1; }
    sleep 0.1
  done
}
`;

/** Throws where none is told. */
export function stepsIn(printed: string): Steps {
  const found = [...printed.matchAll(/^took (\w+) (\d+)$/gm)];
  if (found.length === 0) throw new Error(`no step tells how long it took: ${printed}`);
  return new Map(found.map(([, name = "", nanoseconds]) => [name, Number(nanoseconds) / 1e9]));
}

/** Of all together. */
export const secondsOf = (steps: Steps): number => [...steps.values()].reduce((sum, seconds) => sum + seconds, 0);
