// Settings of sessions that are taken, all at once and each as bad as it may be: they are for those of users, and the members' own programs
// do their work whatever they say.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { ports } from "../../../components/member";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { withoutRoom } from "../../harness/nodes";
import { MysqlClient } from "../../harness/real-mysql";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";
import { members, MysqlGroup } from "./mysql-group";

const forPostgresql = {
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  statement_timeout: "1s",
  lock_timeout: "100ms",
  transaction_timeout: "1s",
  idle_in_transaction_session_timeout: "1s",
  idle_session_timeout: "10s",
  search_path: "elsewhere",
  standard_conforming_strings: "off",
  datestyle: "German, YMD",
  intervalstyle: "sql_standard",
  client_encoding: "MULE_INTERNAL",
  client_min_messages: "debug5",
  row_security: "off",
  bytea_output: "escape",
  default_tablespace: "nowhere",
  temp_tablespaces: "nowhere",
  default_table_access_method: "nothing",
  quote_all_identifiers: "on",
  transform_null_equals: "on",
  array_nulls: "off",
  extra_float_digits: "-15",
  track_activities: "off",
  work_mem: "64kB",
  temp_file_limit: "100MB",
  max_stack_depth: "100kB",
  debug_parallel_query: "regress",
  enable_seqscan: "off",
  enable_indexscan: "off",
  enable_nestloop: "off",
  enable_hashjoin: "off",
  synchronous_commit: "remote_apply",
  application_name: "theirs",
  lc_messages: "POSIX",
};

const forMysql = {
  sql_mode: "ANSI,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE",
  transaction_isolation: "SERIALIZABLE",
  max_execution_time: "1000",
  max_join_size: "1000000",
  lock_wait_timeout: "1",
  innodb_lock_wait_timeout: "1",
  wait_timeout: "1",
  interactive_timeout: "1",
  net_read_timeout: "1",
  net_write_timeout: "1",
  lc_messages: "de_DE",
  lc_time_names: "de_DE",
  session_track_gtids: "ALL_GTIDS",
  session_track_schema: "ON",
  session_track_state_change: "ON",
  session_track_system_variables: "*",
  session_track_transaction_info: "CHARACTERISTICS",
  group_replication_consistency: "BEFORE_AND_AFTER",
  sql_require_primary_key: "ON",
  sql_generate_invisible_primary_key: "ON",
  show_gipk_in_create_table_and_information_schema: "OFF",
  explicit_defaults_for_timestamp: "OFF",
  group_concat_max_len: "4",
  max_sort_length: "4",
  max_error_count: "0",
  cte_max_recursion_depth: "0",
  tmp_table_size: "1024",
  max_heap_table_size: "16384",
  character_set_server: "ucs2",
  collation_server: "ucs2_bin",
  character_set_filesystem: "latin1",
  terminology_use_previous: "BEFORE_8_0_26",
  skip_show_database: "ON",
  init_connect: "SET NAMES latin1, SESSION transaction_read_only = ON",
  event_scheduler: "OFF",
};

/** An application of a Database `orders`. */
interface Application {
  ask(sql: string, service?: string): Promise<string>;
}

interface Told {
  readonly namespace: string;
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly engine: "postgresql" | "mysql";
    readonly replicas: number;
  };
  readonly start: (image: string) => Promise<Application>;
  /** Creates the table, with a row of the number 1. */
  readonly fill: string;
  readonly table: string;
  /** What a superuser may do beside the settings that are taken. */
  readonly harm?: () => Promise<void>;
}

function tell(stage: Stage, { namespace, spec, start, fill, table, harm }: Told): void {
  const place = [namespace, "orders"] as const;
  const read = `select number from ${table} where id = 1`;
  let application: Application;

  before(async () => {
    const { version } = builtVersion(stage.platform, spec.engine);
    const backup = { schedule: "0 0 29 2 *" };
    await stage.kubectl.apply(modestDatabase("orders", namespace, { version, storage: "2Gi", backup, ...spec }));
  });

  const primaryNow = (): Promise<string> =>
    eventually(async () => {
      const [primary, ...others] = await labelledPrimaries(stage.kubectl, place);
      assert.ok(primary !== undefined && others.length === 0);
      return primary.name;
    }, minutes(1));

  test("a new Database with settings of sessions at their worst becomes Ready, with its role and its database", async () => {
    await untilReady(stage.kubectl, place, minutes(4));
    application = await start(builtVersion(stage.platform, spec.engine).image);
    await application.ask(fill);
  });

  test("the exporter of each member reads everything it usually reads", async () => {
    for (let ordinal = 0; ordinal < spec.replicas; ordinal++) {
      const path = `/api/v1/namespaces/${namespace}/pods/orders-${ordinal}:${ports.metrics.port}/proxy/metrics`;
      // a replica may not have the exporter's account yet
      await eventually(async () => {
        const text = await stage.kubectl("get", "--raw", path);
        assert.match(text, /^(pg|mysql)_up(\{[^}]*\})? 1$/m);
        assert.match(text, /_collector_success\{[^}]*\} 1$/m);
        assert.doesNotMatch(text, /_collector_success\{[^}]*\} 0$/m);
      }, minutes(1));
    }
  });

  test("a backup is taken from a replica, whatever else a superuser sets", async () => {
    await harm?.();
    await stage.kubectl("create", "job", "by-hand", "-n", namespace, "--from=cronjob/orders-backup");
    await stage.kubectl("wait", "job", "by-hand", "-n", namespace, "--for=condition=Complete", "--timeout=180s");
    const log = await stage.kubectl("logs", "job/by-hand", "-n", namespace);
    const [, source = ""] = /the replica (\S+) is used|"from":"([^".]+)/.exec(log) ?? [];
    assert.ok(!log.includes("the primary is used") && source !== (await primaryNow()), log);
    await untilBackedUp(stage.kubectl, place, minutes(3));
  });

  test("a lost primary is replaced by another member, which has the rows, and comes back as a replica", async () => {
    const former = await primaryNow();
    // one that is back at once may continue as primary
    await withoutRoom(stage.kubectl, async () => {
      await stage.kubectl("delete", "pod", former, "-n", namespace, "--force", "--grace-period=0", "--wait=false");
      await eventually(async () => {
        assert.notEqual(await primaryNow(), former);
        assert.equal(await application.ask(read), "1");
      }, minutes(1));
    });
    await untilReady(stage.kubectl, place, minutes(3));
    await application.ask(`update ${table} set number = 2 where id = 1`);
    await eventually(async () => {
      assert.equal(await application.ask(read, "orders-ro"), "2");
    }, minutes(1));
  });
}

export const postgresqlSettings = story("postgresql-settings", (stage) => {
  const namespace = "postgresql-settings";
  rotating(
    "session-settings",
    () => {
      tell(stage, {
        namespace,
        spec: { engine: "postgresql", replicas: 2, config: forPostgresql },
        start: (image) =>
          Promise.resolve(new PostgresqlClient(stage.kubectl, { namespace, database: "orders", image })),
        table: "public.items",
        // who reads from replicas cannot do so serializably
        fill: `create table public.items (id int primary key, number int) using heap; insert into public.items values (1, 1);
          alter role app set default_transaction_isolation = 'read committed'`,
      });
    },
    4,
  );
});

export const mysqlSettings = story("mysql-settings", (stage) => {
  const namespace = "mysql-settings";
  const rows = Array.from({ length: 4000 }, (_, index) => `(${index + 1}, 1)`).join();
  rotating(
    "session-settings",
    () => {
      tell(stage, {
        namespace,
        spec: { engine: "mysql", replicas: 3, config: forMysql },
        start: async (image) => {
          const client = new MysqlClient(stage.kubectl, namespace, "orders");
          await client.start(image);
          return { ask: (sql, service) => client.ask(`set session transaction_read_only = off; ${sql}`, service) };
        },
        table: "app.items",
        fill: `create table items (id int primary key, number int); insert into items values ${rows}`,
        harm: async () => {
          const group = new MysqlGroup(stage.kubectl, namespace);
          for (const member of members) {
            await group.askMember(member, "set global max_join_size = 1, global max_execution_time = 1");
          }
        },
      });
    },
    4,
  );
});
