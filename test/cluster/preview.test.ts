// `make preview` and `make state` as people use them, against a real API server, CLI and provider; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { z } from "zod";
import { run } from "../../tools/host/command";
import { untilCounted } from "../harness/at-rest";
import { database, untilBackedUp, untilCondition, untilGone, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import {
  administratorKubeconfig,
  assertEnds,
  countsIn,
  developerKubeconfig,
  passwordsIn,
  previewDirectories,
  printed,
  revisionsOf,
  runPreview,
  runState,
  startPreview,
  withoutWrites,
  type Printed,
} from "../harness/preview";
import { proxiedEnvironment, startProxy } from "../harness/proxied";
import { proves } from "../judges/reliability/case";
import { history, preview } from "../judges/reliability/cases/preview";

const operatorNamespace = "database-operator-system";
const namespace = "previews";
const place = [namespace, "shop"] as const;
const project = join(__dirname, "../../stacks/database");

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await makeNamespace(platform.kubectl, namespace);
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(join(project, ".state"), { recursive: true, force: true });
});

const shop = (spec: Record<string, unknown> = {}): unknown => database("shop", namespace, { replicas: 2, ...spec });

/** Applies, and waits until nothing moves any more. */
async function converged(spec: Record<string, unknown> = {}): Promise<void> {
  await platform.kubectl.apply(shop(spec));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(2));
  await untilCounted(platform.kubectl, place);
}

/** Previews, and sees that nothing was written meanwhile. */
const quietly = (input: unknown, ...args: string[]): Promise<Printed> =>
  withoutWrites(platform.kubectl, [namespace, operatorNamespace], () =>
    runPreview(platform.environment, input, ...args),
  );

proves(preview.created, async () => {
  const result = await quietly(shop());
  assertEnds(result, 1, /Database previews\/shop: new/, /\+ StatefulSet shop\n/, /\+ Secret shop-credentials\n/);
  assertEnds(result, 1, /2 members start and elect a primary/, /a first backup is taken/);
  await converged();
  const { status } = await untilReady(platform.kubectl, place);
  assert.deepEqual(countsIn(result.output), countsIn(status.lastChange?.summary ?? "nothing"));
});

proves(preview.unchanged, async (t) => {
  await converged();
  for (const args of [[], ["--refresh"], ["--server-side"]]) {
    await t.test(["preview", ...args].join(" "), async () => {
      assertEnds(await quietly(shop(), ...args), 0, /nothing would change\n\n {2}\d+ unchanged\n$/);
    });
  }
});

const changes = {
  replicas: 3,
  storage: "20Gi",
  version: "17.7",
  config: { work_mem: "8MB" },
  backup: { schedule: "0 3 * * *" },
};

proves(preview.changed, async () => {
  await converged();
  const result = await quietly(shop(changes));
  assertEnds(
    result,
    1,
    /spec\.replicas +2 → 3\n/,
    /~ StatefulSet shop\n(?: {8}.*\n)* {8}spec\.replicas +2 → 3\n/,
    /containers\[postgresql\]\.image +".*17\.6" → ".*17\.6-next"\n/,
    /~ PersistentVolumeClaim data-shop-0\n +spec\.resources\.requests\.storage +"10Gi" → "20Gi"\n/,
    /\+ PersistentVolumeClaim data-shop-2\n/,
    /metadata\.annotations\.config\.postgresql\.parameters\.work_mem +\+ "8MB"\n/,
    /~ CronJob shop-backup\n(?: {8}.*\n)* {8}spec\.schedule +"0 2 \* \* \*" → "0 3 \* \* \*"\n/,
    /all members restart, one after the other \(another image\): shop-1, then the primary shop-0\n/,
    /a member is added/,
    /parameters apply within seconds/,
    /volumes grow while the database runs/,
  );
  const data = await quietly(shop(changes), "--output", "json");
  assertEnds(data, 1, /^\{\n {2}"apiVersion": "v1",\n {2}"kind": "List"/, /"digest": "[0-9a-f]{64}"/);
  assertEnds(data, 1, /"effect": "Switchover"/);
  await converged(changes);
  const { status } = await untilReady(platform.kubectl, place);
  assert.deepEqual(countsIn(result.output), countsIn(status.lastChange?.summary ?? "nothing"));
  assertEnds(await quietly(shop(changes)), 0);
});

proves(preview.refused, async (t) => {
  await converged(changes);
  for (const [what, spec, words] of [
    ["replicas: 0", { replicas: 0 }, /spec\.replicas.* should be greater than or equal to 1/],
    ["storage that shrinks", { storage: "1Gi" }, /must not shrink: write the current size or a larger one/],
    ["a wrong type", { replicas: "three" }, /must be of type integer[^]*further rules are checked/],
  ] as const) {
    await t.test(what, async () => {
      assertEnds(await quietly(shop({ ...changes, ...spec })), 2, /refused by the API server/, words);
    });
  }
});

proves(preview.stalled, async (t) => {
  await converged(changes);
  for (const [reason, spec, words] of [
    ["VersionUnavailable", { version: "17.9" }, /available: 17\.7, 17\.6/],
    ["ConfigSourceMissing", { configFrom: { name: "nowhere" } }, /ConfigMap nowhere.*create it or remove configFrom/],
    ["ParameterReserved", { config: { listen_addresses: "*" } }, /listen_addresses/],
  ] as const) {
    await t.test(reason, async () => {
      const result = await quietly(shop({ ...changes, ...spec }));
      assertEnds(result, 2, new RegExp(`stalled, ${reason}`), words, /what you ask for/);
    });
  }
});

proves(preview.paused, async () => {
  await converged(changes);
  await platform.kubectl.apply(shop({ ...changes, paused: true }));
  await untilCondition(platform.kubectl, place, { type: "Stalled", status: "False", reason: "Paused" });
  const result = await quietly(shop({ ...changes, paused: true, replicas: 2 }));
  assertEnds(result, 1, /spec\.paused is true: .* only once it is false/, /spec\.replicas +3 → 2/, /shop-2 is removed/);
  assertEnds(await quietly(shop({ ...changes, paused: true })), 0);
  await converged(changes);
});

proves(preview.conflict, async () => {
  await platform.kubectl("create", "service", "clusterip", "taken", "-n", namespace, "--tcp=80:80");
  const result = await quietly(database("taken", namespace));
  assertEnds(result, 2, /stalled, NameConflict/, /Service taken; remove it or choose another name/);
  await platform.kubectl("delete", "service", "taken", "-n", namespace);
});

proves(preview.several, async () => {
  await converged(changes);
  const objects = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning", namespace } },
    shop(changes),
    database("other", namespace, { replicas: 1 }),
  ];
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  const both = await quietly(text);
  assertEnds(both, 1, /ConfigMap tuning: not a Database, skipped/, /previews\/shop: nothing would change/);
  assertEnds(both, 1, /previews\/other: new/);
  const bad = `${text}\n---\n${JSON.stringify(database("bad", namespace, { replicas: 0 }))}`;
  assertEnds(await quietly(bad), 2, /Database bad: refused/, /previews\/other: new/);
});

proves(preview.deleted, async (t) => {
  await converged(changes);
  for (const [policy, stays, goes] of [
    ["Retain", /kept, and adopted .*data-shop-0.*shop-backup.*shop-credentials/, /- StatefulSet shop\n/],
    ["Delete", /deleted/, /permanently removed: .*data-shop-0.*shop-backup.*shop-credentials/],
    ["Snapshot", /kept, and adopted .*shop-backup.*shop-credentials/, /permanently removed: .*data-shop-0/],
  ] as const) {
    await t.test(policy, async () => {
      await converged({ ...changes, deletionPolicy: policy });
      // the policy of the cluster counts, not that of the file
      assertEnds(await quietly(shop(), "--delete"), 1, /Database previews\/shop: deleted/, stays, goes);
    });
  }
  assertEnds(await quietly(database("nobody", namespace), "--delete"), 0, /there is no Database nobody/);
  await converged({ ...changes, deletionPolicy: "Retain" });
});

proves(preview.rights, async () => {
  await converged(changes);
  const directory = await mkdtemp(join(tmpdir(), "preview-test-"));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, await developerKubeconfig(platform.kubectl, namespace), { mode: 0o600 });
  const result = await runPreview({ ...platform.environment, KUBECONFIG: kubeconfig }, shop(changes));
  await rm(directory, { recursive: true });
  assertEnds(result, 2, /needs the right to get Secrets and ConfigMaps in namespace database-operator-system/);
});

proves(preview.interrupted, async (t) => {
  await converged(changes);
  const before = await previewDirectories();
  const left = async (): Promise<string[]> => (await previewDirectories()).filter((name) => !before.includes(name));
  const proxy = await startProxy(platform.cluster);
  t.after(() => proxy.stop());
  const own = { KUBECONFIG: join(platform.cluster.directory, "administrator.kubeconfig") };
  await writeFile(own.KUBECONFIG, await administratorKubeconfig(platform.kubectl, namespace), { mode: 0o600 });
  const environment = await proxiedEnvironment({ ...platform.environment, ...own }, platform.cluster, proxy);
  const hold = proxy.hold({ by: "provider", namespace });
  const running = await startPreview(environment, JSON.stringify(shop({ ...changes, replicas: 5 })));
  const isOwn = (name: string): boolean => name.includes(`-run-${running.pid}-`);
  await Promise.race([hold.held(), running.ended.then(({ output }) => assert.fail(output))]);
  assert.ok((await left()).some(isOwn));
  process.kill(running.pid, "SIGINT");
  assert.equal((await running.ended).code, 2);
  assert.deepEqual(
    (await left()).filter((name) => isOwn(name) || name.includes("-preview-")),
    [],
  );
});

proves(history.kept, async () => {
  await converged(changes);
  const began = (await revisionsOf(platform.kubectl, place))[0]?.revision ?? 0;
  const edits = { scaler: { replicas: 2 }, tuner: { config: { work_mem: "16MB" } } };
  for (const [manager, spec] of Object.entries(edits)) {
    const patch = ["--type=merge", "-p", JSON.stringify({ spec }), `--field-manager=${manager}`];
    await platform.kubectl("patch", "database", "shop", "-n", namespace, ...patch);
    await untilReady(platform.kubectl, place, minutes(2));
  }
  await converged(changes);
  const found = (await revisionsOf(platform.kubectl, place)).filter(({ revision }) => revision > began);
  assert.deepEqual(
    found.map(({ by }) => by),
    ["kubectl-client-side-apply", "tuner", "scaler"],
  );
  assert.ok(found.every(({ revision }, index) => revision === began + 3 - index));
  for (const { summary, seconds } of found) {
    assert.match(summary, /\d+ (created|updated)/);
    assert.ok(seconds > 0 && seconds < 600, String(seconds));
  }
});

proves(history.plainPulumi, async () => {
  await converged(changes);
  const result = await runState(platform.environment, `${namespace}/shop`);
  assertEnds(result, 0, /It is a copy: `pulumi up` there/, /\. \.state\/previews\.shop\/env/);
  const directory = join(project, ".state", `${namespace}.shop`);
  for (const file of ["passphrase", "program.json", "env", `.pulumi/stacks/databases/${namespace}.shop.json`]) {
    assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600, file);
  }
  const pulumi = async (...args: string[]): Promise<string> => {
    const command = `. ${join(directory, "env")} && pulumi ${args.join(" ")}`;
    const output = await run("bash", ["-c", command], { cwd: project, env: platform.environment });
    printed.push(output);
    return output;
  };
  assert.match(await pulumi("preview", "--non-interactive", "--expect-no-changes"), /\d+ unchanged/);
  const stack = await pulumi("stack");
  assert.match(stack, /Current stack is previews\.shop/);
  assert.match(stack, /kubernetes:apps\/v1:StatefulSet +shop/);
  const Entries = z.array(z.object({ version: z.number(), message: z.string(), result: z.string() }));
  const entries = Entries.parse(JSON.parse(await pulumi("stack", "history", "--json")));
  const expected = (await revisionsOf(platform.kubectl, place)).map(({ revision, summary, by, restarts }) => [
    revision,
    `${summary}, by ${by}${restarts === undefined ? "" : `; members restart: ${restarts}`}`,
  ]);
  assert.deepEqual(
    entries.map(({ version, message }) => [version, message]),
    expected,
  );
});

proves(preview.drifted, async () => {
  await converged(changes);
  await operator.stop();
  const patch = JSON.stringify({ spec: { ports: [{ port: 5432, targetPort: 9999, name: "postgresql" }] } });
  await platform.kubectl("patch", "service", "shop-ro", "-n", namespace, "-p", patch, "--field-manager=somebody");
  const result = await quietly(shop(changes));
  assertEnds(result, 1, /Service shop-ro was edited by somebody: .*targetPort/, /~ Service shop-ro, restored/);
  await platform.kubectl("delete", "configmap", "shop-sync", "-n", namespace);
  assertEnds(await quietly(shop(changes)), 1, /ConfigMap shop-sync was deleted/, /\+ ConfigMap shop-sync\n/);
  // what the operator does late was caused by something: the last edit is just before it is back
  await platform.kubectl("patch", "service", "shop-ro", "-n", namespace, "-p", patch, "--field-manager=somebody");
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await eventually(async () => {
    assertEnds(await runPreview(platform.environment, shop(changes)), 0);
  }, minutes(1));
});

proves(preview.deleting, async () => {
  await converged(changes);
  await operator.stop();
  await platform.kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
  const result = await quietly(shop(changes));
  assertEnds(
    result,
    1,
    /it is being deleted already, since \d{4}-/,
    /Database previews\/shop: deleted/,
    /- StatefulSet shop/,
  );
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await untilGone(platform.kubectl, place, minutes(2));
});

proves(preview.secret, async () => {
  const secrets = [
    await readSecret(platform.kubectl, "shop-credentials", namespace),
    await readSecret(platform.kubectl, "shop-system", namespace),
    await readSecret(platform.kubectl, "database-operator-state-key", operatorNamespace),
  ];
  const known = secrets.flatMap(passwordsIn);
  assert.ok(known.length >= 12 && printed.length > 0, `${known.length} secrets, ${printed.length} outputs`);
  for (const output of printed) for (const secret of known) assert.ok(!output.includes(secret), output);
});
