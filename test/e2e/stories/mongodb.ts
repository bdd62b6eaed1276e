// MongoDB's protocol on a real node, with FerretDB for the server: one member, the real driver, and MongoDB's own programs for dumps.
// No mongod can be had for these tests: what a replica set does is tested in agent/mongodb/, against a scripted one.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { MongoNetworkError, MongoServerError, type MongoClient } from "mongodb";
import { initialConfiguration } from "../../../agent/mongodb/configuration";
import { DriverServers } from "../../../agent/mongodb/connection";
import { ScriptedServers } from "../../fakes/mongodb/server";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { processesOf } from "../../harness/operator-pods";
import { deletePods } from "../../harness/pods";
import { addressOf, valueOf, withClient } from "../../harness/real-mongodb";
import { sendSignal } from "../../harness/signal";
import { volumePod } from "../../harness/volume-pod";
import { modestDatabase, story } from "../story";

const namespace = "mongodb";
const place = [namespace, "orders"] as const;

export const mongodb = story(namespace, (stage) => {
  let version: string;
  let image: string;

  before(async () => {
    ({ version, image } = builtVersion(stage.platform, "mongodb"));
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase("orders", namespace, {
        engine: "mongodb",
        version,
        storage: "2Gi",
        deletionPolicy: "Delete",
        ...spec,
      }),
    );

  const uri = (): Promise<string> => valueOf(stage.kubectl, "orders-credentials", namespace, "uri");

  /** As an application: with the connection string of the credentials Secret. */
  const asApplication = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> =>
    withClient({ kubectl: stage.kubectl, namespace, uri: await uri() }, work);

  const count = (): Promise<number> => asApplication((client) => client.db().collection("items").countDocuments());

  test("three members of a server that knows no replica sets are refused, and one is not", async () => {
    await apply({ replicas: 3 });
    const stalled = await untilCondition(stage.kubectl, place, {
      type: "Stalled",
      status: "True",
      reason: "ImageLimited",
    });
    assert.match(JSON.stringify(stalled.status.conditions), /runs one member at most: write 1/);
    assert.deepEqual(await stage.kubectl.names("statefulset", namespace), []);
    await apply({ replicas: 1 });
    const view = await untilReady(stage.kubectl, place, minutes(3));
    assert.equal(view.status.primary, "orders-0");
  });

  test("an application reads and writes with the connection string of its Secret, and no client without a password", async () => {
    assert.match(
      await uri(),
      /^mongodb:\/\/app:[^@]+@orders-0\.orders-headless\.mongodb\.svc:27017\/app\?replicaSet=orders$/,
    );
    await asApplication(async (client) => {
      await client
        .db()
        .collection("items")
        .insertMany(Array.from({ length: 100 }, (_, number) => ({ number })));
    });
    assert.equal(await count(), 100);
    const nobody = (await uri()).replace(/\/\/[^@]+@/, "//");
    const wrong = (await uri()).replace(/:[^:@]+@/, ":wrong@");
    for (const other of [nobody, wrong]) {
      const asking = withClient({ kubectl: stage.kubectl, namespace, uri: other }, (client) =>
        client.db().collection("items").countDocuments(),
      );
      await assert.rejects(asking, /requires authentication|Authentication failed/);
    }
  });

  /** What a command's answer looks like: the types of its fields, or the refusal. */
  async function shapeOf(client: MongoClient, command: Record<string, unknown>): Promise<Record<string, string>> {
    try {
      const answer: Record<string, unknown> = await client.db("admin").command(command);
      return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, typeof value]));
    } catch (error) {
      assert.ok(error instanceof MongoServerError);
      return { code: String(error.code), codeName: error.codeName ?? "" };
    }
  }

  test("the scripted server that stands in for replica sets answers as this server does, where both know a command", async () => {
    const password = await valueOf(stage.kubectl, "orders-system", namespace, "superuser-password");
    const scripted = await startScripted(password);
    const real = (await uri()).replace(/\/\/.*@/, "//").replace(/\/app\?.*$/, "/?directConnection=true");
    const compare = async (
      command: Record<string, unknown>,
      auth?: { username: string; password: string },
    ): Promise<void> => {
      const [theirs, ours] = await Promise.all(
        [real, `mongodb://${scripted.hostOf()}/?directConnection=true`].map((address) =>
          withClient(
            {
              kubectl: stage.kubectl,
              namespace,
              uri: address,
              options: { ...(auth && { auth, authSource: "admin" }) },
            },
            (client) => shapeOf(client, command),
          ),
        ),
      );
      assert.ok(theirs !== undefined && ours !== undefined);
      const both = Object.keys(ours).filter((key) => key in theirs);
      assert.ok(both.length > 0 && "code" in ours === "code" in theirs, JSON.stringify([command, theirs, ours]));
      for (const key of both) assert.equal(ours[key], theirs[key], `${key} of ${JSON.stringify(command)}`);
    };
    try {
      const auth = { username: "root", password };
      for (const name of ["hello", "ping", "buildInfo", "serverStatus", "usersInfo", "nosuch"])
        await compare({ [name]: 1 }, auth);
      await compare({ createUser: "root", pwd: "x", roles: [] }, auth);
      await compare({ usersInfo: 1 }, { ...auth, password: "wrong" });
      for (const command of [{ hello: 1 }, { usersInfo: 1 }, { createUser: "x", pwd: "x", roles: [] }])
        await compare(command);
    } finally {
      scripted.servers.close();
    }
  });

  /** A scripted set of one member, whose administrator has this password. */
  async function startScripted(password: string): Promise<{ servers: ScriptedServers; hostOf: () => string }> {
    const servers = await ScriptedServers.listen(1);
    const [member] = servers.set.members;
    assert.ok(member);
    servers.set.start(member.host);
    const driver = new DriverServers({ address: servers.localAddress(member.host), password });
    await driver.asNobody({ replSetInitiate: initialConfiguration("orders", member.host) });
    await driver.asNobody({ createUser: "root", pwd: password, roles: [] });
    await driver.close();
    return { servers, hostOf: () => member.host };
  }

  test("the member serves metrics of its server", async () => {
    const address = await addressOf(stage.kubectl, namespace, "orders-0");
    const text = await (await fetch(`http://${address}:9187/metrics`)).text();
    assert.match(text, /^mongodb_up 1$/m);
    assert.match(text, /^mongodb_uptime_seconds \d/m);
  });

  test("no password is in an argument of any process of the member", async () => {
    const script = "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$file; echo; done";
    const processes = await stage.kubectl("exec", "-n", namespace, "orders-0", "--", "sh", "-c", script);
    assert.match(processes, /ferretdb/);
    for (const key of ["superuser-password", "rest-password", "replication-password"]) {
      assert.ok(!processes.includes(await valueOf(stage.kubectl, "orders-system", namespace, key)), key);
    }
  });

  test("a server that is killed is back with its data, in the same pod", async () => {
    const inMember = (script: string): Promise<string> =>
      stage.kubectl("exec", "-n", namespace, "orders-0", "--", "sh", "-c", script);
    const find = "grep -lx ferretdb /proc/[0-9]*/comm | cut -d/ -f3";
    const before = await inMember(find);
    await inMember(`kill -9 $(${find})`);
    await eventually(async () => {
      const now = await inMember(find);
      assert.ok(now !== "" && now !== before);
      assert.equal(await count(), 100);
    }, minutes(1));
    const restarts = "jsonpath={.status.containerStatuses[0].restartCount}";
    assert.equal(await stage.kubectl("get", "pod", "orders-0", "-n", namespace, "-o", restarts), "0");
  });

  for (const [manner, ...flags] of [["in order"], ["by force", "--force", "--grace-period=0"]] as const) {
    test(`a pod that is deleted ${manner} is back with its data`, async () => {
      await deletePods(stage.kubectl, namespace, ["orders-0"], { flags });
      await eventually(async () => {
        assert.equal(await count(), 100);
      }, minutes(2));
      await untilReady(stage.kubectl, place, minutes(2));
    });
  }

  test("a member that is frozen with all of its processes is ended, and with it the connections that would wait for it", async () => {
    const options = { retryReads: false, retryWrites: false };
    await withClient({ kubectl: stage.kubectl, namespace, uri: await uri(), options }, async (client) => {
      const items = client.db().collection("items");
      assert.equal(await items.countDocuments(), 100);
      const uid = await stage.kubectl("get", "pod", "orders-0", "-n", namespace, "-o", "jsonpath={.metadata.uid}");
      const pids = await processesOf({ uid });
      assert.ok(pids.length >= 2, "the agent and its server");
      for (const pid of pids) sendSignal(pid, "SIGSTOP");
      // no time-out of the client's own: the connection itself ends
      await assert.rejects(items.countDocuments(), MongoNetworkError);
    });
    await eventually(async () => {
      assert.equal(await count(), 100);
    }, minutes(1));
    await untilReady(stage.kubectl, place, minutes(1));
  });

  test("backups are taken by mongodump, read to their end and listed, and only the last ones are kept", async () => {
    await apply({ replicas: 1, backup: { retention: 2 } });
    await untilReady(stage.kubectl, place, minutes(2));
    // the change runs the first backup once more
    await untilBackedUp(stage.kubectl, place, minutes(3));
    for (const job of ["backup-a", "backup-b"]) {
      await stage.kubectl("create", "job", job, "-n", namespace, "--from=cronjob/orders-backup");
      await stage.kubectl("wait", "job", job, "-n", namespace, "--for=condition=Complete", "--timeout=120s");
    }
    const log = await stage.kubectl("logs", "job/backup-b", "-n", namespace);
    assert.equal(log.match(/^\s*orders-\d{8}T\d{6}Z\b/gm)?.length, 2, log);
    await untilCondition(stage.kubectl, place, { type: "BackupReady", status: "True", reason: "BackupSucceeded" });
  });

  test("a DatabaseBackup that is applied takes one", async () => {
    await stage.kubectl.apply(databaseBackup("by-hand", namespace, { database: "orders" }));
    const { label, size } = await untilPhase(stage.kubectl, [namespace, "by-hand"], "Succeeded");
    assert.match(label ?? "", /^orders-\d{8}T\d{6}Z$/);
    assert.ok(size !== undefined && size > 0);
  });

  test("what was lost comes back from the newest backup by mongorestore", async () => {
    await asApplication((client) => client.db().collection("items").drop());
    assert.equal(await count(), 0);
    await stage.kubectl.apply(restoringPod());
    const pod = "pod/restore";
    await stage.kubectl("wait", pod, "-n", namespace, "--for=jsonpath={.status.phase}=Succeeded", "--timeout=120s");
    assert.equal(await count(), 100);
    await stage.kubectl("delete", pod, "-n", namespace);
  });

  /** As docs/databases/restore.md describes it. */
  function restoringPod(): unknown {
    const script = `
    newest=$(ls -d /backup/orders-* | tail -n 1)
    printf 'password: %s\\n' "$PASSWORD" >/tmp/mongorestore.yaml
    mongorestore --config /tmp/mongorestore.yaml --gzip --archive="$newest/dump.archive.gz" --nsInclude 'app.*' --drop \\
      --uri 'mongodb://root@orders:27017/?directConnection=true&authSource=admin'
  `;
    const password = { secretKeyRef: { name: "orders-system", key: "superuser-password" } };
    return volumePod({
      ...{ namespace, name: "restore", image, command: ["sh", "-euc", script] },
      env: [{ name: "PASSWORD", valueFrom: password }],
      claims: { backup: "orders-backup" },
    });
  }
});

/** Continues with the Database of the story before, or creates it. */
export const mongodbAgain = story(
  "mongodb again",
  (stage) => {
    before(async () => {
      const { version } = builtVersion(stage.platform, "mongodb");
      const spec = {
        engine: "mongodb",
        version,
        replicas: 1,
        storage: "2Gi",
        deletionPolicy: "Delete",
        backup: { retention: 2 },
      };
      await stage.kubectl.apply(modestDatabase("orders", namespace, spec));
      await untilReady(stage.kubectl, place, minutes(3));
    });

    test("a second run of a running member changes nothing", async () => {
      assert.match(await stage.operator.runAgain(place, "plain"), /^\d+ unchanged$/);
    });

    test("under Delete nothing of it remains", async () => {
      await stage.kubectl("delete", "job", "backup-a", "backup-b", "-n", namespace, "--ignore-not-found");
      await stage.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");
      for (const kind of ["pvc", "secret", "pod", "statefulset", "configmap"]) {
        await eventually(async () => {
          const left = await stage.kubectl.names(kind, namespace);
          assert.deepEqual(
            left.filter((name) => name.includes("orders")),
            [],
          );
        }, minutes(1));
      }
    });
  },
  namespace,
);
