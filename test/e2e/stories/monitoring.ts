// The exporters beside real members, scraped by a real Prometheus, and the alerts about databases judged on what they say.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { z } from "zod";
import { alertGroups } from "../../../infra/monitoring/alerts";
import { queries } from "../../../infra/monitoring/queries";
import { METRICS_NAME } from "../../../infra/metadata";
import { run } from "../../../tools/host/command";
import { projectRoot } from "../../../tools/platform/platform";
import { builtVersion } from "../../harness/built-versions";
import { readDatabase, untilReady } from "../../harness/database";
import { consistently, eventually, minutes } from "../../harness/eventually";
import { askMysqlMember } from "../../harness/real-mysql";
import { startPrometheus, type Prometheus, type ScrapeTarget } from "../../harness/prometheus";
import { modestDatabase, rotatingStory } from "../story";

// as the runbooks have it
const namespace = "shop";

const Pods = z.array(
  z.object({
    metadata: z.object({ name: z.string(), labels: z.object({ database: z.string() }) }),
    status: z.object({ podIP: z.string() }),
  }),
);

export const monitoring = rotatingStory(
  "monitoring",
  7,
  (stage) => {
    let prometheus: Prometheus;

    before(async () => {
      const [postgresql, mysql] = (["postgresql", "mysql"] as const).map(
        (engine) => builtVersion(stage.platform, engine).version,
      );
      const common = { replicas: 2, storage: "2Gi", config: { max_connections: "60" } };
      const catalog = { ...common, engine: "mysql", version: mysql, backup: { enabled: false } };
      await stage.kubectl.apply(modestDatabase("orders", namespace, { ...common, version: postgresql }));
      await stage.kubectl.apply(modestDatabase("catalog", namespace, catalog));
      await untilReady(stage.kubectl, [namespace, "orders"], minutes(4));
      await untilReady(stage.kubectl, [namespace, "catalog"], minutes(4));
      const rules = { groups: alertGroups({ runbooks: "r" }) };
      const targets = [{ job: METRICS_NAME, address: stage.operator.present.metricsAddress }, ...(await exporters())];
      prometheus = await startPrometheus(targets, rules);
    });
    after(async () => {
      await prometheus.stop();
    });

    /** The exporter of each member, with the labels that the Database's ServiceMonitor gives. */
    async function exporters(): Promise<ScrapeTarget[]> {
      const selector = "app=database,app.kubernetes.io/component=database";
      return Pods.parse(await stage.kubectl.list("pods", { namespace, selector })).map(
        ({ metadata, status: { podIP } }) => ({
          job: `${metadata.labels.database}-headless`,
          address: `${podIP}:9187`,
          labels: { namespace, pod: metadata.name, database: metadata.labels.database },
        }),
      );
    }

    test("Prometheus scrapes the exporter of every member, and every one reaches its server", async () => {
      await eventually(async () => {
        const up = await prometheus.query("pg_up == 1 or mysql_up == 1");
        const pods = up.map(({ labels }) => labels["pod"]).sort();
        assert.deepEqual(pods, ["catalog-0", "catalog-1", "orders-0", "orders-1"]);
      }, minutes(1));
    });

    test("the exporter reports the application's tables, also after the application revoked the right to connect from public", async () => {
      const { primary } = (await readDatabase(stage.kubectl, "orders", namespace)).status;
      const statements = [
        "create table invoices (id int)",
        "insert into invoices values (1)",
        "revoke connect on database app from public",
      ];
      for (const statement of statements) {
        const psql = ["psql", "-XAtq", "-d", "app", "-c", statement];
        await stage.kubectl("exec", "-n", namespace, primary, "-c", "postgresql", "--", ...psql);
      }
      await eventually(async () => {
        const found = await prometheus.query('pg_stat_user_tables_n_tup_ins{relname="invoices"} == 1');
        assert.deepEqual(
          found.map(({ labels }) => [labels["datname"], labels["pod"]]),
          [["app", primary]],
        );
      }, minutes(1));
    });

    test("the alerts about databases find the connections of each member", async () => {
      const connections = await eventually(async () => {
        const found = await prometheus.query(queries.connections);
        assert.equal(found.length, 4);
        return found;
      }, minutes(1));
      for (const { value } of connections) assert.ok(value > 0 && value < 0.9, String(value));
    });

    test("they find the lag of each member of PostgreSQL", async () => {
      const lag = await eventually(async () => {
        const found = await prometheus.query(queries.replicationLag);
        assert.equal(found.length, 2);
        return found;
      }, minutes(1));
      for (const { value, labels } of lag) {
        assert.ok(value >= 0 && value < 60, String(value));
        assert.equal(labels["database"], "orders");
      }
    });

    test("the commands of the runbooks work as they are written", async () => {
      const runbooks = await readFile(join(projectRoot, "docs/runbooks.md"), "utf8");
      const commands = [...runbooks.matchAll(/^\$ (kubectl .*-n shop.*)$/gm)].map(([, command = ""]) => command);
      assert.ok(commands.length > 10);
      for (const command of commands)
        await run("bash", ["-o", "pipefail", "-c", command], { env: stage.platform.environment });
    });

    test("at rest no alert fires or is about to, and every rule can be evaluated", async () => {
      await untilReady(stage.kubectl, [namespace, "orders"], minutes(1));
      await untilReady(stage.kubectl, [namespace, "catalog"], minutes(1));
      const quiet = async (): Promise<void> => {
        for (const { name, health } of await prometheus.rules()) assert.equal(health, "ok", name);
        const alerts = await prometheus.alerts();
        // the operator has other Databases, too
        assert.deepEqual(
          alerts.filter(({ labels }) => (labels["namespace"] ?? namespace) === namespace),
          [],
        );
      };
      // before the first scrape no operator was seen
      await eventually(quiet);
      // the rules are evaluated once a second
      await consistently(quiet, 5000);
    });

    const onCatalog = (pod: string, sql: string): Promise<string> => askMysqlMember(stage.kubectl, namespace, pod, sql);

    test("they find the lag of a replica of MySQL that waits for a lock, until it has caught up", async () => {
      const { primary } = (await readDatabase(stage.kubectl, "catalog", namespace)).status;
      const replica = primary === "catalog-0" ? "catalog-1" : "catalog-0";
      const lagging = async (): Promise<(string | undefined)[]> => {
        const found = await prometheus.query(`${queries.replicationLag} > 3`);
        return found.filter(({ labels }) => labels["database"] === "catalog").map(({ labels }) => labels["pod"]);
      };
      await onCatalog(primary, "create table app.items (id int primary key)");
      await eventually(() => onCatalog(replica, "select count(*) from app.items"));
      assert.deepEqual(await lagging(), []);
      const locked = onCatalog(replica, "lock tables app.items read; select sleep(120)");
      const holder = await eventually(async () => {
        const id = await onCatalog(replica, 'select id from performance_schema.processlist where state = "User sleep"');
        assert.match(id, /^\d+$/);
        return id;
      });
      await onCatalog(primary, "insert into app.items values (1)");
      // the query looks every 15 s
      await eventually(async () => {
        assert.deepEqual(await lagging(), [replica]);
      }, minutes(1));
      await onCatalog(replica, `kill query ${holder}`);
      await locked;
      // what the alert asks for is the most of two minutes
      await eventually(async () => {
        const applying = "mysql_perf_schema_applying_transaction_original_commit_timestamp_seconds > 0";
        assert.deepEqual(await prometheus.query(applying), []);
      });
    });
  },
  { namespace },
);
