// `preview`: what applying or deleting the Databases of a file would do, by the operator's word.
import { documentsIn, type Document } from "../../operator/preview/documents";
import { databaseResource, previewResource, previewVersion } from "../../contract/resources";
import { collectionOf, kinds } from "../cluster/paths";
import { databaseIfAny } from "../cluster/read";
import type { Asked } from "../command/asked";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import { ApiFailure, type Cluster, type World } from "../command/world";
import { aDatabase } from "../objects/database";
import { listOf } from "../output/document";
import { print } from "../output/print";
import { exitCodeOf, type Answer } from "./answer";
import { dryRun } from "./dry-run";
import { reportIn } from "./report";
import { answerLines } from "./text";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const { files } = asked;
  if (files.length === 0) throw new Trouble("name a file: -f orders.yaml, or -f - for standard input");
  const texts = await Promise.all(files.map((file) => world.read(file)));
  const documents = texts.flatMap(documentsIn);
  if (documents.length === 0) throw new Trouble(`there is no object in ${files.join(", ")}`);
  const cluster = await world.open(asked.reach);
  const answers: Answer[] = [];
  // one after the other: the operator makes two at a time for all
  for (const document of documents) answers.push(await answerTo(document, { asked, world, cluster }));
  await print(asked, world, {
    document: listOf(answers.map(itemOf)),
    names: [],
    lines: ({ palette }) => answerLines(answers, { palette, hasObjects: asked.objects }),
  });
  // of a file without one, nothing was told
  return documents.some(({ kind }) => kind === "database") ? exitCodeOf(answers) : 2;
}

interface Asking {
  readonly asked: Asked;
  readonly world: World;
  readonly cluster: Cluster;
}

async function answerTo(document: Document, asking: Asking): Promise<Answer> {
  switch (document.kind) {
    case "other":
      return { kind: "skipped", isOpen: isMistyped(document), message: `${document.title}: not a Database, skipped` };
    case "companion":
    case "backup":
      return {
        ...{ kind: "skipped", isOpen: document.kind === "companion" },
        message: `${document.name}: the operator previews Databases only, skipped`,
      };
    case "unreadable":
      return { kind: "refused", database: "?", message: document.message };
    case "database":
      return asking.asked.remove
        ? deletionOf(document.name, document.text, asking)
        : applyOf(document.name, document.text, asking);
  }
}

/** A Database of another group: one that was meant to be ours. */
const isMistyped = ({ title }: Extract<Document, { kind: "other" }>): boolean =>
  title.split(" ")[0] === databaseResource.kind;

async function applyOf(name: string, text: string, { asked, world, cluster }: Asking): Promise<Answer> {
  const { namespace, serverSide } = asked;
  // the cluster that is asked for the preview, whatever kubectl would choose
  const reach = { ...asked.reach, context: cluster.context };
  const answer = await dryRun(text, { reach, namespace, serverSide }, world);
  if (answer.kind === "refused") return { kind: "refused", database: name, message: answer.message };
  return previewed(answer.object, "Apply", { cluster, warnings: answer.warnings });
}

async function deletionOf(name: string, text: string, { asked, cluster }: Asking): Promise<Answer> {
  const written = await namespaceIn(text);
  if (written !== undefined && asked.namespace !== undefined && written !== asked.namespace)
    return { kind: "refused", database: name, message: `it is of namespace ${written}, and -n is ${asked.namespace}` };
  const namespace = written ?? asked.namespace ?? cluster.namespace;
  const object = await databaseIfAny(cluster, namespace, name);
  if (object === undefined)
    return { kind: "skipped", isOpen: false, message: `${namespace}/${name} does not exist: nothing to delete` };
  return previewed(object, "Delete", { cluster, warnings: [] });
}

async function namespaceIn(text: string): Promise<string | undefined> {
  const [{ parse }, { z }] = await Promise.all([import("yaml"), import("zod")]);
  const Placed = z.object({ metadata: z.object({ namespace: z.string().optional() }) });
  return Placed.safeParse(parse(text)).data?.metadata.namespace;
}

interface Previewing {
  readonly cluster: Cluster;
  readonly warnings: readonly string[];
  /** What is looked at as if it were so already. Default: nothing. */
  readonly assume?: object;
}

/** Asks the operator what it would do. `object`: the Database as it would be. */
export async function previewed(
  object: unknown,
  operation: "Apply" | "Delete",
  { cluster, warnings, assume = {} }: Previewing,
): Promise<Answer> {
  const { namespace, name } = aDatabase(object).metadata;
  const database = `${namespace}/${name}`;
  const body = {
    apiVersion: `${previewResource.group}/${previewVersion}`,
    kind: previewResource.kind,
    spec: { operation, database: object, ...(Object.keys(assume).length > 0 && { assume }) },
  };
  try {
    return {
      kind: "report",
      database,
      report: reportIn(await cluster.create(collectionOf(kinds.previews, namespace), body)),
    };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const why = unservedText(error);
    return why === undefined
      ? { kind: "refused", database, message: error.message, isBusy: error.status === 429 }
      : { kind: "unserved", database, why, warnings };
  }
}

/** Undefined where the operator has answered. */
export function unservedText({ status, message }: ApiFailure): string | undefined {
  if (status === 404 && !message.includes("look after"))
    return "the operator of this cluster does not serve previews: the platform's setting previewApi is off";
  // a refusal of the operator names the Database: the right to ask for previews comes with the setting
  if (status === 403 && message.includes(`"${previewResource.plural}"`))
    return "you may not ask for previews: the platform's setting previewApi is off, or you may not write here";
  return status === 503 ? `no operator answers for now: ${message}` : undefined;
}

/** As the operator answers, whatever it was that answered. */
export function itemOf(answer: Answer): unknown {
  const head = { apiVersion: `${previewResource.group}/${previewVersion}`, kind: previewResource.kind };
  switch (answer.kind) {
    case "skipped":
      return { ...head, metadata: {}, status: { outcome: "Skipped", message: answer.message } };
    case "refused":
      return { ...head, metadata: placeOf(answer.database), status: { outcome: "Refused", message: answer.message } };
    case "unserved":
      return {
        ...{ ...head, metadata: placeOf(answer.database) },
        status: { outcome: "Failed", message: answer.why, notes: answer.warnings },
      };
    case "report":
      return { ...head, metadata: placeOf(answer.database), status: answer.report };
  }
}

function placeOf(database: string): { readonly namespace?: string; readonly name: string } {
  const [name = "", namespace] = database.split("/").reverse();
  return namespace === undefined ? { name } : { namespace, name };
}
