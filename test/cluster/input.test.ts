// Bad input at the first door: a real API server refuses it, in words that help, and refuses nothing else.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { parse } from "yaml";
import { parseDatabase } from "../../operator/api/object";
import { openApi, type KubernetesApi } from "../../tools/cluster/api";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { eventually } from "../harness/eventually";
import { askToCreate, databasesOf, objectOf, type Answer } from "../input/admission";
import type { Entry, Written } from "../input/entry";
import { nearlyRight } from "../input/near";
import { table } from "../input/table";
import { proves } from "../judges/reliability/case";
import { input } from "../judges/reliability/cases/input";

const ROOT = join(__dirname, "../..");
const NAMESPACE = "default";

let cluster: Cluster;
let api: KubernetesApi;

before(async () => {
  cluster = await startCluster({ nodes: "simulated", life: "parent" });
  api = await openApi(cluster.kubeconfig);
  const crd: unknown = parse(await readFile(join(ROOT, "infra/crds/databases.yaml"), "utf8"), { version: "1.1" });
  await api.apply("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.example.com", crd);
  await eventually(() => api.request("GET", databasesOf(NAMESPACE)));
});
after(async () => {
  api.close();
  await cluster.stop();
});

/** Answers in the order of the objects; some are asked for at the same time. */
async function answersTo(objects: readonly Written[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < objects.length; index += 8) {
    const asked = objects.slice(index, index + 8).map((written) => askToCreate(api, written, NAMESPACE));
    answers.push(...(await Promise.all(asked)));
  }
  return answers;
}

/** What is wrong with the answer to an entry; nothing where it is as it should be. */
function complaintOf({ path, door }: Entry, answer: Answer): string | undefined {
  if (door.kind === "accepted") return answer.kind === "accepted" ? undefined : `refused: ${answer.message}`;
  if (answer.kind === "accepted") return "accepted";
  const { message } = answer;
  const keyed = path.replace(/\.([^.]+)$/, "[$1]");
  if (!message.includes(path) && !message.includes(keyed)) return `does not name the field: ${message}`;
  const missing = door.says.find((text) => !message.includes(text));
  if (missing !== undefined) return `does not say "${missing}": ${message}`;
  return unhelpful.exec(message) ? `has a text that does not help: ${message}` : undefined;
}

// A rule that cannot be evaluated; and names of the schema instead of the object's.
const unhelpful = /rule evaluation error|no such overload|no such key|internal error/i;

proves(input.admission, async (t) => {
  const answers = await answersTo(table.map(({ written }) => written));
  const byField = Map.groupBy(table.keys(), (index) => table[index]?.path ?? "");
  for (const [path, indexes] of byField) {
    await t.test(`${path}: ${indexes.length} entries`, () => {
      const complaints = indexes.flatMap((index) => {
        const [entry, answer] = [table[index], answers[index]];
        const complaint = entry && answer ? complaintOf(entry, answer) : "no answer";
        return complaint === undefined ? [] : [`${entry?.title ?? ""} ${complaint}`.slice(0, 2000)];
      });
      assert.deepEqual(complaints, []);
    });
  }
});

proves(input.agreement, async () => {
  for (const [path, objects] of nearlyRight(80, 20_261_121)) {
    const answers = await answersTo(objects);
    const verdicts = objects.map((written, index) => {
      const sent = objectOf(written, NAMESPACE);
      const parsed = parseDatabase({ ...sent, metadata: { name: written.name, namespace: NAMESPACE, uid: "1" } });
      return { written, server: answers[index]?.kind, parser: parsed.ok ? "accepted" : "refused" };
    });
    const different = verdicts.filter(({ server, parser }) => server !== parser);
    assert.deepEqual(different, [], path);
    const broken = answers.filter((answer) => answer.kind === "refused" && unhelpful.test(answer.message));
    assert.deepEqual(broken, [], path);
    const right = verdicts.filter(({ server }) => server === "accepted").length;
    assert.ok(right >= 3 && right <= objects.length - 3, `${path}: ${right} of ${objects.length} are right`);
  }
});
