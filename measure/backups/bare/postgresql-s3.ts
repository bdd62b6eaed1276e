// pgBackRest by hand, in the member's container: settings and keys are there.
import { backupFiles } from "../../../contract/object-storage";
import { memberName } from "../../../components/naming";
import { source, type Scene } from "../run/scene";
import type { Bare } from "./tool";
import { postgresqlServer, prelude, stepsIn, type Steps } from "./steps";

const { repository, credentials } = backupFiles;
const volume = "/var/lib/postgresql/data";

const opening = `${prelude}${postgresqlServer}
export PGBACKREST_REPO1_S3_KEY=$(cat ${credentials.directory}/${credentials.id})
export PGBACKREST_REPO1_S3_KEY_SECRET=$(cat ${credentials.directory}/${credentials.secret})
cluster=$(od -An -tu8 -N8 ${volume}/pgdata/global/pg_control | tr -d ' ')
backrest=(pgbackrest --config=${repository.directory}/${repository.file} "--stanza=$cluster" --log-level-stderr=warn)
`;

const backup = `${opening}
server=(--pg1-path=${volume}/pgdata --pg1-socket-path=/run/postgresql --pg1-user=postgres)
took copy "\${backrest[@]}" "\${server[@]}" --type=full --no-expire-auto backup
label=$("\${backrest[@]}" info --output=json | grep -o '"label":"[^"]*"' | tail -1 | cut -d '"' -f 4)
took check "\${backrest[@]}" "--set=$label" --output=text --verbose verify
"\${backrest[@]}" "--set=$label" expire >/dev/null
`;

const restore = `${opening}
copy=${volume}/by-hand
rm -rf "$copy"
took copy "\${backrest[@]}" "--pg1-path=$copy" --archive-mode=off restore
took start server "$copy" pg_isready --host=/tmp --port=5499
pg_ctl --pgdata="$copy" --mode=immediate stop >/dev/null
rm -rf "$copy"
`;

export function postgresqlStorage({ kubectl, namespace }: Scene): Bare {
  const inMember = ["exec", "-n", namespace, memberName(source, 0), "-c", "postgresql", "--"];
  const run = async (script: string): Promise<Steps> =>
    stepsIn(await kubectl(...inMember, "bash", "-c", script, "by-hand"));
  return { backup: () => run(backup), restore: () => run(restore) };
}
