// A cluster with the platform installed by `pulumi up`, and the operator's own credentials: what most tests start from.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { toolsOnPath } from "../../tools/build/build";
import { startCluster, type StartOptions, type Cluster } from "../../tools/cluster/cluster";
import { openNodeImages } from "../../tools/cluster/nodes/real/real-nodes";
import { type BuiltImage, buildImages } from "../../tools/images/build";
import { catalogueOf, writeCatalogue, type Catalogue } from "../../tools/images/catalogue";
import { loadImages } from "../../tools/images/load";
import { runPlatform, type PlatformOptions } from "../../tools/platform/platform";
import type { Progress } from "../../tools/progress";
import { notedProgress } from "../runner/phases";
import { forgetCluster, keepMoment, observeCluster } from "./evidence";
import { kubectlFor, type Kubectl } from "./kubectl";
import { commonSettings, platformTemplate } from "./platform-template";
import { startWitness, type Witness } from "./witness";

export interface PlatformCluster {
  readonly cluster: Cluster;
  /** As cluster-admin. */
  readonly kubectl: Kubectl;
  /** PATH with the tools, and cluster-admin's KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same with the operator's ServiceAccount: it may do what its Roles say and no more. */
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  /** Watches what happens here; at the end it judges the invariants. */
  readonly witness: Witness;
  /** What was built for it; empty where the catalogue is the test's own. */
  readonly catalogue: Catalogue;
  /** The operator's image, where it is deployed. */
  readonly operatorImage?: string;
  /** `pulumi up` of the platform once more, after a look at what is there. */
  up(): Promise<string>;
  /** Ends the cluster. Throws where an invariant was broken in it. */
  stop(): Promise<void>;
  /** Kills the cluster with all that it has, as a fire would: nothing ends in order, and nothing is judged. */
  lose(): Promise<void>;
}

/**
 * Simulated nodes pull nothing and take any catalogue; real ones get the images of images/ and their catalogue, or no
 * image and a catalogue of the test's own, where it needs no running database.
 */
export type PlatformClusterOptions = (
  | {
      readonly nodes: "simulated";
      readonly catalogue: unknown;
      readonly operator?: undefined;
      /**
       * Whether `pulumi up` runs in this very cluster: where the installation is what is tested. Default: only with settings or
       * namespaces of its own; else the cluster starts from one in which it has run.
       */
      readonly fresh?: true;
      /** Whether the Jobs of CronJobs are created. Default: they are not. */
      readonly schedules?: true;
    }
  /** `operator`: where it runs. Default: in a process that the test starts. */
  | {
      readonly nodes: "real";
      readonly catalogue?: undefined;
      readonly operator?: "deployed";
      /** Names of images beside those that every cluster gets, such as other versions of an engine. */
      readonly extraImages?: readonly string[];
    }
  | { readonly nodes: "real"; readonly catalogue: unknown; readonly operator?: undefined }
) & {
  /** Settings of the platform's stack beside those of stacks/Pulumi.local.yaml. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Namespaces to create, and to limit the operator to. Default: it may look at all. */
  readonly watchNamespaces?: readonly string[];
};

const image = "docker.io/library/database-operator-postgresql:17.6";

/** Nodes on which nothing happens that a test did not ask for: at 02:00 UTC all Databases would be backed up. */
export const simulatedNodes = { nodes: "simulated", simulated: { schedules: false } } as const;

/** A catalogue for simulated nodes, with two versions. */
export const simulatedCatalogue = { postgresql: { "17.6": { image }, "17.7": { image: `${image}-next` } } };

const operatorNamespace = "database-operator-system";

/** Starts a cluster that ends with this process, with the platform installed. */
export async function startPlatformCluster(options: PlatformClusterOptions): Promise<PlatformCluster> {
  const { watchNamespaces = [] } = options;
  const progress = notedProgress((line) => {
    console.error(line);
  });
  const bin = await toolsOnPath({ progress });
  const path = [bin, process.env["PATH"] ?? ""].join(delimiter);
  const template =
    isLikeOthers(options) && (await platformTemplate({ catalogue: options.catalogue, bin, path, progress }));
  const images = await imagesFor(options, progress);
  const cluster = await startCluster({
    ...nodesFor(options),
    ...{ life: "parent", progress, real: { images: images.filter(isInCatalogue) } },
    ...(template && { from: template.cluster }),
  });
  const directory = await mkdtemp(join(tmpdir(), "platform-test-"));
  const environment = { PATH: path, KUBECONFIG: cluster.kubeconfig };
  const kubectl = kubectlFor(environment);
  observeCluster({ cluster, kubectl });
  const end = async (): Promise<void> => {
    forgetCluster({ cluster });
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    if (template) await cp(template.pulumi, directory, { recursive: true });
    const catalogueFile = await writeCatalogueFor(options, images, directory);
    const operatorImage = await loadOperator(options, { images, cluster, progress });
    const settings = { ...commonSettings, ...options.settings, ...(operatorImage && { image: operatorImage }) };
    const installation = { environment, directory, catalogueFile, settings: { ...settings, watchNamespaces } };
    if (!template) await install(installation, { kubectl, progress, watchNamespaces });
    const kubeconfig = join(directory, "operator.kubeconfig");
    await writeFile(kubeconfig, await kubeconfigOf("database-operator", kubectl), { mode: 0o600 });
    const deployed = options.operator === "deployed";
    const witness = startWitness({ kubectl, environment, auditLog: cluster.auditLog, deployed });
    const stop = (): Promise<void> => concluded(witness).finally(end);
    const lose = (): Promise<void> => witness.abandon().finally(end);
    const operatorEnvironment = {
      PATH: path,
      KUBECONFIG: kubeconfig,
      DATABASE_OPERATOR_WATCH_NAMESPACES: watchNamespaces.join(","),
    };
    const up = (): Promise<string> => runPlatform({ ...installation, refresh: true });
    const catalogue = catalogueOf(images);
    const ends = { stop, lose };
    return { cluster, kubectl, environment, operatorEnvironment, witness, catalogue, up, ...ends, operatorImage };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Whether the operator may begin pods of it. */
const isInCatalogue = ({ server, upgrade }: BuiltImage): boolean => server !== undefined || upgrade !== undefined;

function nodesFor(options: PlatformClusterOptions): Pick<StartOptions, "nodes" | "simulated"> {
  if (options.nodes === "real") return { nodes: "real" };
  return options.schedules ? { nodes: "simulated" } : simulatedNodes;
}

/** Judges; what there is to see of a broken invariant is kept while there is a cluster. */
async function concluded(witness: Witness): Promise<void> {
  try {
    await witness.conclude();
  } catch (error) {
    await keepMoment("at the end");
    throw error;
  }
}

/** Whether the platform is the one that most tests ask for, which is kept. */
const isLikeOthers = (options: PlatformClusterOptions): boolean =>
  options.nodes === "simulated" &&
  options.fresh !== true &&
  options.settings === undefined &&
  options.watchNamespaces === undefined;

async function install(
  installation: PlatformOptions,
  at: { readonly kubectl: Kubectl; readonly progress: Progress; readonly watchNamespaces: readonly string[] },
): Promise<void> {
  for (const namespace of at.watchNamespaces) await at.kubectl("create", "namespace", namespace);
  await at.progress.step("pulumi up", () => runPlatform(installation));
}

/** What was built for the cluster; nothing where the catalogue is the test's own. */
async function imagesFor(options: PlatformClusterOptions, progress: Progress): Promise<readonly BuiltImage[]> {
  if (options.catalogue !== undefined) return [];
  const extraImages = "extraImages" in options ? options.extraImages : undefined;
  return progress.step("images", (log) => buildImages({ log, extra: extraImages }));
}

async function writeCatalogueFor(
  { catalogue }: PlatformClusterOptions,
  images: readonly BuiltImage[],
  directory: string,
): Promise<string> {
  const file = join(directory, "catalogue.json");
  if (catalogue === undefined) await writeCatalogue(file, images);
  else await writeFile(file, JSON.stringify(catalogue));
  return file;
}

/** It is another one with each change of the operator: not among those that nodes have from their start. */
async function loadOperator(
  { operator }: PlatformClusterOptions,
  at: { readonly images: readonly BuiltImage[]; readonly cluster: Cluster; readonly progress: Progress },
): Promise<string | undefined> {
  if (operator !== "deployed") return undefined;
  const own = at.images.filter(({ name }) => name === "operator");
  const node = await openNodeImages(at.cluster.directory);
  await at.progress.step("operator's image into the node", (log) => loadImages(node, own, log));
  return own[0]?.image;
}

const Kubeconfig = z.looseObject({
  users: z.array(z.looseObject({ name: z.string(), user: z.looseObject({}) })).length(1),
});

/** cluster-admin's kubeconfig with a ServiceAccount's token in place of the certificate. */
export async function kubeconfigOf(
  serviceAccount: string,
  kubectl: Kubectl,
  namespace = operatorNamespace,
): Promise<string> {
  const token = await kubectl("create", "token", serviceAccount, "-n", namespace, "--duration", "24h");
  const config = Kubeconfig.parse(parse(await kubectl("config", "view", "--raw")));
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token: token.trim() } })) });
}
