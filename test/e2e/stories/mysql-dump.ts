// MySQL: a table is changed while a backup reads it.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { builtVersion } from "../../harness/built-versions";
import { untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { MysqlClient } from "../../harness/real-mysql";
import { rotating } from "../../runner/rotating";
import { story } from "../story";
import { namespace, ordersOf, place } from "./mysql";
import { members, MysqlGroup } from "./mysql-group";

/** Of the backups' CronJob: what another Job needs to be the same but for its command. */
const CronJob = z.object({
  spec: z.object({
    jobTemplate: z.looseObject({
      spec: z.looseObject({
        template: z.looseObject({
          spec: z.looseObject({ containers: z.array(z.looseObject({ command: z.array(z.string()) })).length(1) }),
        }),
      }),
    }),
  }),
});

const job = "orders-backup-slow";

/** In the pod of a backup, whose first attempt stands still as soon as its dump reads the table: as slow as a dump can be. */
const stopDump = `
  stop() {
    [ -e /backup/stopped ] && return
    held="select count(*) from performance_schema.metadata_locks where object_name = 'bulk' and lock_type = 'SHARED_READ'"
    while :; do
      pid=$(grep -lx mysqldump /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3 | head -n 1)
      [ -n "$pid" ] || continue
      kill -STOP "$pid"
      [ "$(mysql --defaults-file=$(ls /tmp/client-*.cnf) -BNe "$held")" = 0 ] || break
      kill -CONT "$pid"
    done
    touch /backup/stopped; echo "the dump stands still"
  }
  stop & exec "$@"`;

/** Continues with the Database of the story `mysql`, or creates it. */
export const mysqlDump = story(
  "mysql dump",
  (stage) => {
    rotating("mysql-dump-ddl", () => {
      let client: MysqlClient;
      let group: MysqlGroup;

      before(async () => {
        const { version, image } = builtVersion(stage.platform, "mysql");
        await stage.kubectl.apply(ordersOf(version));
        await untilReady(stage.kubectl, place, minutes(4));
        group = new MysqlGroup(stage.kubectl, namespace);
        client = new MysqlClient(stage.kubectl, namespace, "orders");
        await client.start(image);
      });

      const startSlowBackup = async (): Promise<void> => {
        const { spec } = CronJob.parse(await stage.kubectl.find("cronjob", "orders-backup", namespace)).spec
          .jobTemplate;
        const containers = spec.template.spec.containers.map((container) => ({
          ...container,
          command: ["bash", "-c", stopDump, "bash", ...container.command],
        }));
        await stage.kubectl.apply({
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: job, namespace },
          spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } },
        });
      };

      const logs = (): Promise<string> =>
        stage.kubectl("logs", "-n", namespace, "-l", `job-name=${job}`, "--tail=-1", "--prefix");

      test("a table that is changed while a dump hangs: all members have the change within seconds, and the next attempt takes the backup", async () => {
        const rows = Array.from({ length: 40 }, (_, id) => `(${id}, repeat(uuid(), 29127))`);
        await client.ask("create table bulk (id int primary key, content longtext)");
        for (const row of rows) await client.ask(`insert into bulk values ${row}`);
        await startSlowBackup();
        await eventually(async () => {
          assert.match(await logs(), /the dump stands still/);
        }, minutes(2));
        await client.ask("alter table bulk add column other int");
        const columns = `select count(*) from information_schema.columns where table_name = "bulk" and column_name = "other"`;
        for (const member of members) {
          await eventually(async () => {
            assert.equal(await group.askMember(member, columns), "1");
          }, minutes(0.5));
        }
        await stage.kubectl("wait", `job/${job}`, "-n", namespace, "--for=condition=Complete", "--timeout=120s");
        assert.match(await logs(), /the dump was ended because a change of app\.bulk waited 10 s for it/);
        await client.ask("drop table bulk");
        await stage.kubectl("delete", "job", job, "-n", namespace);
      });
    });
  },
  namespace,
);
