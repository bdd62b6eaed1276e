// Reads the platform's stack configuration, parsed once; stacks/Pulumi.<stack>.yaml holds it.
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { monitoringDefaults } from "../contract/defaults";
import {
  durationPattern,
  namedEffects,
  policyLimits,
  releaseEffects,
  timeZonePattern,
  windowEffects,
} from "../contract/effects";
import { byEngine } from "../contract/engines";
import { defaultNamespace } from "../contract/platform";
import { upgradeProblems, versionPattern } from "../contract/versions";
import { ConsoleSettings } from "./console-settings";
import { NamespaceName } from "./names";

/** What the server in the image cannot do: more members than these, take parameters, or have certificates. Default: it can do everything. */
const ServerLimits = z.strictObject({
  replicas: z.int().min(1).optional(),
  config: z.literal(false).optional(),
  tls: z.literal(false).optional(),
});
const looksLike = "a version looks like 17.6";
/** What carries a major upgrade to this version out, and the version of the former programs in it. Default: none leads there. */
const UpgradeImage = z.strictObject({ image: z.string().min(1), from: z.string().regex(versionPattern, looksLike) });
const Version = z.strictObject({
  image: z.string().min(1),
  libraries: z.array(z.string().min(1)).optional(),
  limits: ServerLimits.optional(),
  upgrade: UpgradeImage.optional(),
});
const Versions = z.record(z.string().regex(versionPattern), Version, {
  error: ({ code }) => (code === "invalid_key" ? looksLike : undefined),
});

/** Engine → version → image: what may be asked for. */
const Catalogue = z.strictObject(byEngine(() => Versions.optional())).superRefine((catalogue, context) => {
  for (const problem of upgradeProblems(catalogue)) context.addIssue({ code: "custom", ...problem });
});

/** What Prometheus and Grafana get of a deployed operator. */
const MonitoringSettings = z.strictObject({
  /** Whether a ServiceMonitor, a PrometheusRule and a dashboard are created: kinds that the cluster does not know would fail `pulumi up`. */
  enabled: z.boolean().default(false),
  /** By which Prometheus finds the first two. */
  labels: z.record(z.string(), z.string()).default(monitoringDefaults.labels),
  /** Where docs/runbooks.md can be read, for the alerts' `runbook_url`. */
  runbooks: z.string().min(1).default("docs/runbooks.md"),
});

const Effects = z.array(z.enum(namedEffects));

/** As in a Database's spec; the operator, which carries it out, judges schedules and time zones. */
const ChangePolicy = z.strictObject({
  requireApproval: Effects.default([]),
  windows: z
    .array(
      z.strictObject({
        schedule: z.string().max(policyLimits.schedule),
        duration: z.string().regex(durationPattern, "must be hours, minutes or both, such as 1h30m"),
        timeZone: z.string().regex(timeZonePattern, "must be UTC or such as Europe/Berlin").default("UTC"),
        effects: Effects.min(1).default([...windowEffects]),
      }),
    )
    .max(policyLimits.windows)
    .default([]),
});

const Settings = z.object({
  /** Where the operator and its state live. */
  namespace: NamespaceName.default(defaultNamespace),
  /** The installation, as `namespace/stack`, whose place in this cluster this one takes. Default: none, and another one is left as it is. */
  takeOver: z
    .string()
    .regex(/^[^/]+\/[^/]+$/, "is not namespace/stack")
    .optional(),
  /** The namespaces whose Databases count; the operator has no rights in others. They must exist. Default: all. */
  watchNamespaces: z
    .array(NamespaceName)
    .default([])
    .transform((names) => [...new Set(names)].sort()),
  /** The operator's image. Without it no Deployment is created: the operator runs elsewhere. */
  image: z.string().min(1).optional(),
  /** How many operators run: one leads, the others stand by. */
  replicas: z.number().int().min(1).max(5).default(2),
  /** How much the operator logs. */
  logLevel: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  /** Whether nodes come as pods ask for them: else no member is restarted that no node could take afterwards. */
  nodeAutoscaling: z.boolean().default(false),
  /** How many Databases may be restarting at a time for a change that none of them asked for, once a first one is through. */
  restartsAtOnce: z.int().min(1).max(1000).default(3),
  /** The authority, in PEM, of the certificate that the API server shows at /validate: others are refused. Default: no client is. */
  webhookClientCa: z.string().startsWith("-----BEGIN CERTIFICATE-----", "is not a certificate in PEM").optional(),
  /**
   * Whether the operator serves previews, as an aggregated API. While no operator answers, the deletion of any namespace of
   * the cluster may wait for one.
   */
  previewApi: z.boolean().default(false),
  /** Which changes wait, where a Database has no policy of its own, as in its spec.changePolicy. Default: none. */
  changePolicy: ChangePolicy.prefault({}),
  /** The same of what another release of the operator does to them, in addition. Default: a person is asked about what clients notice. */
  releasePolicy: ChangePolicy.prefault({ requireApproval: [...releaseEffects] }),
  /** Whether who changed a Database last may approve that change. */
  approverMayBeAuthor: z.boolean().default(true),
  /** Whether a NetworkPolicy says who may connect to the operator and what it connects to. */
  networkPolicy: z.boolean().default(true),
  /** Ports of the API server that the policy lets the operator reach: behind its Service and in front of it. */
  apiServerPorts: z.array(z.int().min(1).max(65535)).min(1).default([443, 6443]),
  catalogue: Catalogue,
  monitoring: MonitoringSettings.prefault({}),
  /** The shared console. */
  console: ConsoleSettings.default({ enabled: false }),
});

/** The platform's settings. */
export type Settings = z.infer<typeof Settings>;

/** The keys of the stack configuration, without their namespace `database-operator:`, as they are written. */
export interface RawSettings extends Partial<Readonly<Record<keyof Settings, unknown>>> {
  /** Instead of `catalogue`: a JSON file with it, relative to the project's root. */
  readonly catalogueFile?: string;
}

/** Parses the settings. Throws an error that names each wrong key and says what to set. */
export function settingsOf({ catalogueFile, ...raw }: RawSettings, root: string): Settings {
  if (catalogueFile !== undefined && raw.catalogue !== undefined) {
    throw new Error("the stack sets both catalogue and catalogueFile: remove one of them");
  }
  const catalogue = catalogueFile === undefined ? (raw.catalogue ?? {}) : readCatalogue(catalogueFile, root);
  const parsed = Settings.safeParse({ ...raw, catalogue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `database-operator:${path.join(".")}: ${message}`);
  throw new Error(`the stack's configuration is wrong:\n  ${problems.join("\n  ")}`);
}

/** Takes the settings out of a Pulumi configuration; only what is set is there. */
export function rawSettingsOf(config: pulumi.Config): RawSettings {
  return {
    namespace: config.get("namespace"),
    takeOver: config.get("takeOver"),
    watchNamespaces: config.getObject("watchNamespaces"),
    image: config.get("image"),
    replicas: config.getNumber("replicas"),
    logLevel: config.get("logLevel"),
    nodeAutoscaling: config.getBoolean("nodeAutoscaling"),
    restartsAtOnce: config.getNumber("restartsAtOnce"),
    webhookClientCa: config.get("webhookClientCa"),
    previewApi: config.getBoolean("previewApi"),
    changePolicy: config.getObject("changePolicy"),
    releasePolicy: config.getObject("releasePolicy"),
    approverMayBeAuthor: config.getBoolean("approverMayBeAuthor"),
    networkPolicy: config.getBoolean("networkPolicy"),
    apiServerPorts: config.getObject("apiServerPorts"),
    monitoring: config.getObject("monitoring"),
    console: config.getObject("console"),
    catalogue: config.getObject("catalogue"),
    catalogueFile: config.get("catalogueFile"),
  };
}

function readCatalogue(file: string, root: string): unknown {
  const path = isAbsolute(file) ? file : join(root, file);
  if (!existsSync(path)) throw new Error(`there is no catalogue ${file}: run \`make images\`, which writes it`);
  return JSON.parse(readFileSync(path, "utf8")) as unknown;
}
