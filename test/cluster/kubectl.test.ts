// What people do with kubectl while the operator works, and what they see; nodes are simulated. What needs no operator
// (defaults, refusals, edit, the scale subresource) is in api.test.ts.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { run } from "../../tools/host/command";
import { database, namespaceWithShop, readDatabase, untilBackedUp, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { whileFull } from "../harness/nodes";
import { explainedFields, openApiSchemas, schemaOfKind } from "../harness/openapi";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);
const withInput = (input: unknown, ...args: string[]): Promise<string> =>
  run("kubectl", args, { env: platform.environment, input: JSON.stringify(input) });
const waitFor = (condition: string, namespace: string): Promise<string> =>
  kubectl("wait", `--for=${condition}`, "db/shop", "-n", namespace, "--timeout=90s");

const shopIn = (namespace: string, spec?: Record<string, unknown>): Promise<string> =>
  namespaceWithShop(platform.kubectl, namespace, spec);

/** Rows of a table that kubectl printed, cell by cell. */
const rowsOf = (table: string): string[][] => table.split("\n").map((line) => line.trim().split(/\s+/));

test("get and get -o wide show what a person asks first", async () => {
  const namespace = await shopIn("shown");
  const [head = [], row = []] = rowsOf(await kubectl("get", "db", "-n", namespace));
  assert.deepEqual(head, ["NAME", "ENGINE", "VERSION", "REPLICAS", "READY", "AGE"]);
  assert.deepEqual(row.slice(0, -1), ["shop", "postgresql", "17.6", "2", "true"]);
  const [wideHead, wide = []] = rowsOf(await kubectl("get", "db", "-n", namespace, "-o", "wide"));
  assert.deepEqual(wideHead, [...head.slice(0, -1), "PHASE", "PRIMARY", "ENDPOINT", "PENDING", "AGE"]);
  assert.deepEqual(wide.slice(4, -1), ["true", "Running", "shop-0", "shop.shown.svc:5432"]);
  assert.match(wide.at(-1) ?? "", /^\d+[sm]/);
  const path = "-o=jsonpath={.status.endpoint} {.status.credentialsSecret}";
  assert.equal(await kubectl("get", "db", "shop", "-n", namespace, path), "shop.shown.svc:5432 shop-credentials");
});

test("get all shows a Database with its children, and labels select them", async () => {
  const namespace = await shopIn("listed");
  const all = await kubectl("get", "all", "-n", namespace, "-o", "name");
  for (const name of ["database.example.com/shop", "statefulset.apps/shop", "service/shop-ro", "pod/shop-1"])
    assert.ok(all.split("\n").includes(name), all);
  const pods = ["get", "pods", "-n", namespace, "-o", "name", "-l"];
  assert.equal(await kubectl(...pods, "database=shop,role=primary"), "pod/shop-0");
  await kubectl("label", "db", "shop", "-n", namespace, "team=a");
  assert.equal(await kubectl("get", "db", "-n", namespace, "-l", "team=a", "-o", "name"), "database.example.com/shop");
  assert.equal(await kubectl("get", "db", "-n", namespace, "-l", "team=b", "-o", "name"), "");
});

/** Events at the end of what `kubectl describe` prints, a line each: type, reason and message. */
async function describedEvents(namespace: string): Promise<string> {
  const [, events = ""] = (await kubectl("describe", "db", "shop", "-n", namespace)).split("\nEvents:");
  return rowsOf(events)
    .slice(3)
    .map((cells) => [...cells.slice(0, 2), ...cells.slice(cells.indexOf("database-operator") + 1)].join(" "))
    .join("\n");
}

test("describe tells the story: what was asked for is Normal, and what went wrong by itself a Warning", async () => {
  const namespace = await shopIn("described", { replicas: 3 });
  // an event follows the status that it reports
  await eventually(async () => {
    const made = await describedEvents(namespace);
    assert.match(made, /^Normal Creating revision 1: \d+ created$/m);
    assert.match(made, /^Normal AllReplicasReady 3 of 3 members ready$/m);
    assert.match(made, /^Normal BackupSucceeded Job shop-backup-first succeeded at \S+Z$/m);
  });
  await whileFull(platform.kubectl, async () => {
    await kubectl("scale", "db", "shop", "-n", namespace, "--replicas=4");
    await eventually(async () => {
      assert.match(await describedEvents(namespace), /^Normal WaitingForMembers /m);
    });
  });
  const scaled = await eventually(async () => {
    const lines = await describedEvents(namespace);
    assert.match(lines, /^Normal AllReplicasReady 4 of 4 members ready$/m);
    return lines;
  }, minutes(1));
  assert.match(scaled, /^Normal Updating revision 2: 1 created, 1 updated, \d+ unchanged$/m);
  assert.doesNotMatch(scaled, /^Warning/m);
  await whileFull(platform.kubectl, async () => {
    // its successor has its name, and a kubectl that waits may take it for the one it deleted
    await kubectl("delete", "pod", "shop-3", "-n", namespace, "--wait=false");
    await eventually(async () => {
      assert.match(await describedEvents(namespace), /^Warning WaitingForMembers 3 of 4 members ready/m);
    });
  });
});

test("explain has a text for every field that the API server knows", async () => {
  const schemas = await openApiSchemas(platform.kubectl, "example.com/v1");
  const { schema } = schemaOfKind(schemas, { group: "example.com", version: "v1", kind: "Database" });
  const fields = explainedFields(schema);
  assert.ok(fields.length >= 60, String(fields.length));
  const mute = fields.filter(({ description = "" }) => description === "");
  assert.deepEqual(mute, []);
  const tree = await kubectl("explain", "database", "--recursive");
  for (const { path } of fields) assert.ok(tree.includes(`${path.split(".").at(-1) ?? ""}\t<`), path);
  const printed = (text: string): string => text.replaceAll(/\s+/g, " ");
  for (const path of ["spec", "spec.backup.schedule", "status.conditions.reason"]) {
    const { description = "?" } = fields.find((field) => field.path === path) ?? {};
    const text = printed(await kubectl("explain", `db.${path}`));
    assert.ok(text.includes(printed(description)), text);
  }
});

test("wait returns when the change is complete and not before", async () => {
  const namespace = await shopIn("awaited");
  await kubectl("scale", "db", "shop", "-n", namespace, "--replicas=4");
  assert.match(await waitFor("condition=Ready", namespace), /condition met/);
  assert.equal((await readDatabase(platform.kubectl, "shop", namespace)).status.readyReplicas, 4);
  await kubectl("patch", "db", "shop", "-n", namespace, "--type=merge", "-p", '{"spec":{"replicas":1}}');
  assert.match(await waitFor("jsonpath={.status.replicas}=1", namespace), /condition met/);
  const gone = waitFor("delete", namespace);
  await kubectl("delete", "db", "shop", "-n", namespace, "--wait=false");
  await gone;
  assert.deepEqual(await platform.kubectl.names("statefulset,service,job", namespace), []);
});

test("get -w shows a change as it goes", async () => {
  const namespace = await shopIn("watched");
  const lines: string[] = [];
  const stop = new AbortController();
  const watch = run("kubectl", ["get", "db", "-n", namespace, "-w"], {
    ...{ env: platform.environment, signal: stop.signal },
    log: (line) => lines.push(line),
  });
  const stopped = assert.rejects(watch);
  const states = (): string[] => rowsOf(lines.join("\n")).map((cells) => cells.slice(3, 5).join(" "));
  await eventually(() => {
    assert.ok(states().includes("2 true"));
  });
  await whileFull(platform.kubectl, async () => {
    await kubectl("scale", "db", "shop", "-n", namespace, "--replicas=3");
    await eventually(() => {
      assert.ok(states().includes("3 false"));
    }, minutes(1));
  });
  await eventually(() => {
    assert.match(states().join(), /^REPLICAS READY,2 true,.*3 false,.*3 true$/);
  }, minutes(1));
  stop.abort();
  await stopped;
});

test("a dry run on the server leaves no trace and starts no run", async () => {
  const namespace = await makeNamespace(platform.kubectl, "dry");
  const dry = ["--dry-run=server", "-n", namespace];
  const object = database("shop", namespace, { replicas: 1 });
  assert.match(await withInput(object, "create", "-f", "-", ...dry), /created \(server dry run\)/);
  await consistently(async () => {
    assert.deepEqual(await platform.kubectl.names("db,all,secret,pvc,role", namespace), []);
  }, 2000);
  assert.deepEqual(await platform.kubectl.names("events", namespace), []);
  await platform.kubectl.apply(object);
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  const before = await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
  const runs = runsIn(operator, `${namespace}/shop`);
  await kubectl("patch", "db", "shop", "--type=merge", "-p", '{"spec":{"replicas":3}}', ...dry);
  await kubectl("scale", "db", "shop", "--replicas=4", ...dry);
  await withInput(database("shop", namespace, { replicas: 5 }), "apply", "-f", "-", ...dry);
  await kubectl("delete", "db", "shop", ...dry);
  await consistently(async () => {
    assert.deepEqual(await readDatabase(platform.kubectl, "shop", namespace), before);
  }, 2000);
  assert.equal(runsIn(operator, `${namespace}/shop`), runs);
});

test("diff is empty for what was applied, and shows what apply would change", async () => {
  const namespace = await shopIn("differs");
  const diff = (spec: Record<string, unknown>): Promise<string> =>
    withInput(database("shop", namespace, spec), "diff", "-f", "-");
  assert.equal(await diff({ replicas: 2 }), "");
  await assert.rejects(diff({ replicas: 5 }), /\n- {2}replicas: 2\n\+ {2}replicas: 5\n/);
  assert.equal((await readDatabase(platform.kubectl, "shop", namespace)).spec.replicas, 2);
});

test("a write from an outdated copy is refused, not merged over what came since", async () => {
  const namespace = await shopIn("outdated");
  const copy = await platform.kubectl.find("db", "shop", namespace);
  await kubectl("scale", "db", "shop", "-n", namespace, "--replicas=3");
  await assert.rejects(withInput(copy, "replace", "-f", "-"), /Conflict.*the object has been modified/s);
  assert.equal((await readDatabase(platform.kubectl, "shop", namespace)).spec.replicas, 3);
});
