// Runs kubeconform, kube-score and kubesec over manifests and returns what they find, in one form.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { provideTools, type ToolPaths } from "../../../tools/build/build";
import { CommandError, run } from "../../../tools/host/command";
import type { Progress } from "../../../tools/progress";
import { versions } from "../../../tools/versions";
import type { Kubectl } from "../../harness/kubectl";
import type { Finding, Linter } from "./finding";
import { schemaLocation, writeSchemas } from "./json-schemas";
import { asPod, titleOf, writeManifests, type Manifest } from "./manifest";

/** What a linter works on. */
interface Work {
  readonly manifests: readonly Manifest[];
  /** A directory of its own. */
  readonly directory: string;
  /** Where the JSON schemas are. */
  readonly schemas: string;
  /** Runs the linter, which reads `file`; returns what it printed, whatever it found. */
  readonly lint: (...args: string[]) => Promise<string>;
}

const linters: Readonly<Record<Linter, (work: Work) => Promise<Finding[]>>> = {
  kubeconform,
  "kube-score": kubeScore,
  kubesec,
};

const names: readonly Linter[] = ["kubeconform", "kube-score", "kubesec"];

/** Everything the linters find in the manifests, whose kinds the cluster of `kubectl` must know. */
export async function lint(
  manifests: readonly Manifest[],
  { kubectl, progress }: { readonly kubectl: Kubectl; readonly progress: Progress },
): Promise<Finding[]> {
  const tools = await provideTools(names, { progress });
  const directory = await mkdtemp(join(tmpdir(), "linters-"));
  try {
    await writeSchemas(kubectl, [...manifests, ...manifests.map(asPod)], directory);
    const work = { manifests, schemas: schemaLocation(directory) };
    const found = names.map(async (name) => {
      const own = join(directory, name);
      await mkdir(own);
      return linters[name]({ ...work, directory: own, lint: programOf(name, tools) });
    });
    return (await Promise.all(found)).flat();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Linters end with an error code where they find something. */
function programOf(name: Linter, tools: ToolPaths): Work["lint"] {
  return async (...args) => {
    const lines: string[] = [];
    await run(tools.get(name) ?? name, args, { log: (line) => lines.push(line) }).catch((error: unknown) => {
      if (!(error instanceof CommandError) || error.code === null) throw error;
    });
    return lines.join("\n");
  };
}

const Conformity = z.object({
  resources: z.array(z.object({ kind: z.string(), name: z.string(), status: z.string(), msg: z.string().default("") })),
  summary: z.object({ valid: z.number(), invalid: z.number(), errors: z.number(), skipped: z.number() }),
});

/** Fields that the API does not know, wrong types, missing fields. */
async function kubeconform({ manifests, directory, schemas, lint }: Work): Promise<Finding[]> {
  const file = join(directory, "manifests.yaml");
  await writeManifests(file, manifests);
  const printed = await lint("-strict", "-summary", "-output", "json", "-schema-location", schemas, file);
  const { resources, summary } = Conformity.parse(JSON.parse(printed));
  if (summary.valid + resources.length !== manifests.length)
    throw new Error(`kubeconform judged too little: ${printed}`);
  return resources.map(({ kind, name, status, msg }) => ({
    ...{ linter: "kubeconform", check: status },
    ...{ object: `${kind} ${name}`, says: msg },
  }));
}

/** The grades of kube-score below which a person should look: warnings and critical ones. */
const passingGrade = 7;

const Scores = z.array(
  z.object({
    type_meta: z.object({ kind: z.string() }),
    object_meta: z.object({ name: z.string() }),
    checks: z.array(
      z.object({
        check: z.object({ id: z.string() }),
        grade: z.number(),
        skipped: z.boolean(),
        comments: z
          .array(z.object({ path: z.string(), summary: z.string() }))
          .nullable()
          .transform((comments) => comments ?? []),
      }),
    ),
  }),
);

/** Good practice in what controllers and their pods are told. */
async function kubeScore({ manifests, directory, lint }: Work): Promise<Finding[]> {
  const file = join(directory, "manifests.yaml");
  await writeManifests(file, manifests);
  const version = `v${versions.kubernetes.split(".").slice(0, 2).join(".")}`;
  const printed = await lint("score", "--kubernetes-version", version, "--output-format", "json", file);
  // nothing that it knows: null
  return (Scores.nullable().parse(JSON.parse(printed)) ?? []).flatMap(
    ({ type_meta: { kind }, object_meta: { name }, checks }) =>
      checks
        .filter(({ grade, skipped }) => !skipped && grade < passingGrade)
        .flatMap(({ check, comments }) =>
          comments.map(({ path, summary }): Finding => {
            const says = [path, summary].filter(Boolean).join(": ");
            return { linter: "kube-score", check: check.id, object: `${kind} ${name}`, says };
          }),
        ),
  );
}

const Rule = z.object({ id: z.string(), selector: z.string(), reason: z.string() });
const Security = z.array(
  z.object({
    valid: z.boolean(),
    message: z.string(),
    scoring: z.object({ critical: z.array(Rule).default([]), advise: z.array(Rule).default([]) }).prefault({}),
  }),
);

/** It knows pods and what creates them, but for Jobs: those are handed over as Pods. */
const secured = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"];

/** What a pod may do to its node. */
async function kubesec({ manifests, directory, schemas, lint }: Work): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, manifest] of manifests.filter(({ kind }) => secured.includes(kind)).entries()) {
    const file = join(directory, `${index}.json`);
    await writeManifests(file, [asPod(manifest)]);
    const [report] = Security.parse(JSON.parse(await lint("scan", "--schema-location", schemas, file)));
    if (report === undefined) throw new Error(`kubesec says nothing of ${titleOf(manifest)}`);
    const of = { linter: "kubesec" as const, object: titleOf(manifest) };
    if (!report.valid) findings.push({ ...of, check: "invalid", says: report.message });
    const rules = [...report.scoring.critical, ...report.scoring.advise];
    findings.push(...rules.map(({ id, selector, reason }) => ({ ...of, check: id, says: `${selector}: ${reason}` })));
  }
  return findings;
}
