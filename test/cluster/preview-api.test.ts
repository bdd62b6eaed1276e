// What users without rights on the operator's Secrets learn of a change: warnings of a dry run, and previews by the operator. A real API
// server, CLI and provider; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { previewApiService, previewResource, previewVersion } from "../../contract/resources";
import { freePorts } from "../../tools/host/ports";
import { untilCounted } from "../harness/at-rest";
import { database, untilBackedUp, untilGone, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { kubectlFor, makeNamespace, type Kubectl } from "../harness/kubectl";
import { installLocalWebhooks } from "../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import {
  kubeconfigOf,
  simulatedCatalogue,
  startPlatformCluster,
  type PlatformCluster,
} from "../harness/platform-cluster";
import { countsIn, developerKubeconfig, withoutWrites } from "../harness/preview";
import { proves } from "../judges/reliability/case";
import { preview } from "../judges/reliability/cases/preview";

const operatorNamespace = "database-operator-system";
const namespace = "previews";
const place = [namespace, "shop"] as const;
/** How long the API server waits for the webhook, in seconds: as long as it can. */
const patience = 30;
const apiVersion = `${previewResource.group}/${previewVersion}`;

let platform: PlatformCluster;
let operator: OperatorProcess;
let developer: Kubectl;
let directory: string;
let port: number;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  [port] = await freePorts();
  await makeNamespace(platform.kubectl, namespace);
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: patience });
  directory = await mkdtemp(join(tmpdir(), "preview-api-test-"));
  developer = await userWith("developer", await developerKubeconfig(platform.kubectl, namespace));
  await startOperator();
});
after(async () => {
  await operator.stop();
  await platform.stop();
  await rm(directory, { recursive: true });
});

async function userWith(name: string, kubeconfig: string): Promise<Kubectl> {
  const file = join(directory, name);
  await writeFile(file, kubeconfig, { mode: 0o600 });
  return kubectlFor({ ...platform.environment, KUBECONFIG: file });
}

async function startOperator(): Promise<void> {
  operator = await startOperatorProcess({
    environment: {
      ...platform.operatorEnvironment,
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      // how fast a busy machine is, is not the question
      DATABASE_OPERATOR_WARNINGS_SECONDS: String(patience - 5),
      DATABASE_OPERATOR_PREVIEW_API: "true",
    },
  });
  await platform.kubectl("wait", "--for=condition=Available", `apiservice/${previewApiService}`, "--timeout=60s");
  // the API server hears of the webhook's authority a moment later
  await eventually(async () => {
    const wrong = database("probe", namespace, { version: "99.1" });
    await assert.rejects(platform.kubectl.input(wrong, "apply", "--dry-run=server", "-f", "-"), /the catalogue has no/);
  }, minutes(1));
}

const shop = (spec: Record<string, unknown> = {}): unknown => database("shop", namespace, { replicas: 2, ...spec });

/** Applies, and waits until nothing moves any more. */
async function converged(spec: Record<string, unknown> = {}): Promise<void> {
  await platform.kubectl.apply(shop(spec));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(2));
  await untilCounted(platform.kubectl, place);
}

const question = (object: unknown, operation = "Apply"): unknown => ({
  apiVersion,
  kind: previewResource.kind,
  spec: { operation, database: object },
});

const Answer = z.object({
  metadata: z.object({ name: z.string() }),
  status: z.object({
    ...{ outcome: z.string(), operation: z.string().optional(), summary: z.string().optional() },
    ...{ effect: z.string().optional(), message: z.string().optional(), digest: z.string().optional() },
    members: z.array(z.object({ name: z.string(), effect: z.string() })).default([]),
  }),
});
type Status = z.infer<typeof Answer>["status"];

const rawPath = (of = namespace): string => `/apis/${apiVersion}/namespaces/${of}/${previewResource.plural}`;

async function asked(object: unknown, { by = developer, operation = "Apply" } = {}): Promise<Status> {
  const text = await by.input(question(object, operation), "create", "--raw", rawPath(), "-f", "-");
  return Answer.parse(JSON.parse(text)).status;
}

/** Does it, and sees that nothing was written meanwhile. */
const quietly = <T>(work: () => Promise<T>): Promise<T> =>
  withoutWrites(platform.kubectl, [namespace, operatorNamespace], work);

/** What went wrong, in kubectl's words. */
async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "it was answered",
    (error: unknown) => String(error),
  );
}

async function delayed<T>(ms: number, work: () => Promise<T>): Promise<T> {
  await delay(ms);
  return work();
}

const changed = { version: "17.7", replicas: 3, config: { work_mem: "8MB" } };

proves(preview.served, async (t) => {
  await t.test("a new Database, also as an object that kubectl creates", async () => {
    const status = await quietly(() => asked(shop()));
    assert.deepEqual([status.outcome, status.operation, status.effect], ["Planned", "Create", "None"]);
    const printed = await developer.input(question(shop()), "create", "-n", namespace, "-o", "json", "-f", "-");
    const { metadata, status: same } = Answer.parse(JSON.parse(printed));
    assert.deepEqual([metadata.name, same.digest], ["shop", status.digest], "one plan has one name");
    await converged();
    const { status: done } = await untilReady(platform.kubectl, place);
    assert.deepEqual(countsIn(status.summary ?? ""), countsIn(done.lastChange?.summary ?? "nothing"));
  });
  await t.test("a change", async () => {
    const status = await quietly(() => asked(shop(changed)));
    assert.deepEqual([status.outcome, status.operation, status.effect], ["Planned", "Update", "Switchover"]);
    assert.deepEqual(
      status.members.map(({ effect }) => effect).sort(),
      ["None", "RollingRestart", "Switchover"],
      JSON.stringify(status),
    );
    await converged(changed);
    const { status: done } = await untilReady(platform.kubectl, place);
    assert.deepEqual(countsIn(status.summary ?? ""), countsIn(done.lastChange?.summary ?? "nothing"));
    assert.equal((await quietly(() => asked(shop(changed)))).outcome, "Unchanged");
  });
  await t.test("while the stack runs: neither is in the way of the other", async () => {
    const more = { ...changed, config: { work_mem: "12MB" }, backup: { schedule: "0 3 * * *" } };
    const [, ...statuses] = await Promise.all([
      converged(more),
      ...[1, 2, 3].map((_, index) => delayed(index * 300, () => asked(shop(more)))),
    ]);
    for (const { outcome, message } of statuses) assert.match(outcome, /^(Planned|Unchanged)$/, message);
    const failed = operator.log.filter(({ msg }) => msg === "stack run did not succeed");
    assert.deepEqual(failed, []);
    await converged(changed);
  });
  await t.test("a deletion", async () => {
    const status = await quietly(() => asked(shop(changed), { operation: "Delete" }));
    assert.deepEqual([status.outcome, status.operation, status.effect], ["Planned", "Delete", "Downtime"]);
    const none = await asked(database("none", namespace), { operation: "Delete" });
    assert.deepEqual([none.outcome, none.message], ["Skipped", "there is no Database none: nothing would be deleted"]);
  });
});

proves(preview.warned, async () => {
  await converged(changed);
  const dry = (spec: Record<string, unknown>): Promise<string> =>
    refusal(developer.input(shop(spec), "apply", "--dry-run=server", "--warnings-as-errors", "-f", "-"));
  const [said, quiet] = await quietly(
    async () =>
      [
        // after each change that was told nothing is told for as long as that took: what came just before was one
        await eventually(async () => {
          const text = await dry({ ...changed, config: { work_mem: "8MB", max_connections: "150" } });
          assert.match(text, /^Warning: /m);
          return text;
        }, minutes(1)),
        await dry({ ...changed, config: { work_mem: "16MB" } }),
      ] as const,
  );
  const warnings = [...said.matchAll(/^Warning: (.*)$/gm)].map(([, warning = ""]) => warning);
  assert.equal(warnings.length, 2, warnings.join());
  assert.match(warnings[0] ?? "", /^all members restart, one after the other \(parameters that take effect only at/);
  assert.match(warnings[1] ?? "", /^when it is the primary's turn another member takes over/);
  assert.ok(warnings.every(({ length }) => length <= 120));
  assert.equal(quiet, "it was answered");
});

/** What the operator itself answers a client that says who it is. */
async function pastTheApiServer(): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters", "Content-Type": "application/json" };
  const where = { port, path: rawPath(), method: "POST", rejectUnauthorized: false, headers };
  const sent = request(where, (response) => {
    response.resume().on("end", () => {
      resolve(response.statusCode);
    });
  });
  sent.on("error", reject).end(JSON.stringify(question(shop(changed))));
  return promise;
}

proves(preview.withheld, async () => {
  await converged(changed);
  await platform.kubectl("create", "serviceaccount", "reader", "-n", namespace);
  const reading = ["--verb=get,list,watch", "--resource=databases.example.com"];
  await platform.kubectl("create", "role", "reader", "-n", namespace, ...reading);
  const bound = ["--role=reader", `--serviceaccount=${namespace}:reader`];
  await platform.kubectl("create", "rolebinding", "reader", "-n", namespace, ...bound);
  const reader = await userWith("reader", await kubeconfigOf("reader", platform.kubectl, namespace));
  const words = /Forbidden.*you may not write databases\.example\.com shop in namespace previews/;
  assert.match(await refusal(asked(shop(), { by: reader })), words);
  const elsewhere = developer.input(question(database("shop", "")), "create", "--raw", rawPath("default"), "-f", "-");
  assert.match(await refusal(elsewhere), /Forbidden.*in namespace default/);
  assert.equal(await pastTheApiServer(), 401);
  const status = await asked(shop({ ...changed, storage: "1Gi" }));
  assert.equal(status.outcome, "Refused");
  assert.match(status.message ?? "", /must not shrink/);
});

proves(preview.unanswered, async () => {
  await converged(changed);
  await operator.stop();
  assert.match(await refusal(asked(shop())), /ServiceUnavailable|unable to handle the request/);
  await makeNamespace(platform.kubectl, "bystander");
  await platform.kubectl("delete", "namespace", "bystander", "--wait=false");
  await platform.kubectl("delete", "apiservice", previewApiService);
  await platform.kubectl("wait", "--for=delete", "namespace/bystander", "--timeout=120s");
  await installLocalWebhooks(platform.kubectl, { port, timeoutSeconds: patience });
  await startOperator();
  assert.equal((await asked(shop(changed))).outcome, "Unchanged");
  await platform.kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
  await untilGone(platform.kubectl, place, minutes(2));
});
