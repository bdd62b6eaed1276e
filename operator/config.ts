// The operator's settings, read from the environment once, at the start.
import { randomUUID, X509Certificate } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { z } from "zod";
import { defaultNamespace } from "../contract/platform";
import { DNS_LABEL } from "./api/fields";

const namespaceNames = z
  .string()
  .default("")
  .transform((text) => [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== ""))
  .pipe(z.array(z.string().regex(DNS_LABEL, "must be names of namespaces, separated by commas")));

/** One that is no certificate would refuse every client, and the API server would ask in vain without an error. */
const certificates = z.string().refine(isCertificate, "is not a certificate in PEM");

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).ca;
  } catch {
    return false;
  }
}

const Environment = z.object({
  DATABASE_OPERATOR_NAMESPACE: z.string().min(1).default(defaultNamespace),
  DATABASE_OPERATOR_WATCH_NAMESPACES: namespaceNames,
  DATABASE_OPERATOR_WORKERS: z.coerce.number().int().min(1).max(64).optional(),
  DATABASE_OPERATOR_PULUMI: z.enum(["auto", "resident", "cli"]).default("auto"),
  DATABASE_OPERATOR_RUN_DEADLINE_SECONDS: z.coerce.number().int().min(10).default(600),
  DATABASE_OPERATOR_WORK_DIRECTORY: z.string().min(1).default(tmpdir()),
  DATABASE_OPERATOR_RESTARTS_AT_ONCE: z.coerce.number().int().min(1).max(1000).default(3),
  DATABASE_OPERATOR_NODE_AUTOSCALING: z.enum(["true", "false"]).default("false"),
  DATABASE_OPERATOR_LEADER_ELECTION: z.enum(["true", "false"]).default("true"),
  DATABASE_OPERATOR_HEALTH_PORT: z.coerce.number().int().min(0).max(65535).default(8081),
  DATABASE_OPERATOR_METRICS_PORT: z.coerce.number().int().min(0).max(65535).default(8080),
  DATABASE_OPERATOR_WEBHOOK_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  DATABASE_OPERATOR_WEBHOOK_CLIENT_CA: certificates.optional(),
  DATABASE_OPERATOR_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
});

export interface Config {
  /** Where the operator keeps state, keys and passwords. */
  readonly namespace: string;
  /** The namespaces whose Databases count; none: all. */
  readonly watchNamespaces: readonly string[];
  /** Runs of Pulumi at the same time. */
  readonly workers: number;
  /** How Pulumi runs: resident, as one CLI process for each run, or resident where that is built. */
  readonly pulumi: "auto" | "resident" | "cli";
  /** Longest run of Pulumi. */
  readonly runDeadlineSeconds: number;
  /** Parent of the runs' private directories. */
  readonly workDirectory: string;
  /** How many Databases may be restarting at a time for something that none of them asked for, once a first one is through. */
  readonly restartsAtOnce: number;
  /** Whether nodes come as pods ask for them: then no member is held back for want of a node that could take it. */
  readonly nodeAutoscaling: boolean;
  /** Whether operators elect a leader. Without it, there must be no other operator for the same Databases. */
  readonly leaderElection: boolean;
  /** Distinguishes this process from all others: the pod's name, or the host's, and something random. */
  readonly identity: string;
  /** Ports of /healthz and /readyz, and of /metrics; 0 takes a free one. */
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Port of /convert and /validate; 0: none are served. */
  readonly webhookPort: number;
  /** The authority, in PEM, whose certificates those must show who ask /validate; undefined: no client must. */
  readonly webhookClientAuthority: string | undefined;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error";
}

/** On two cores. A run waits for the API server half of its time; one over the CLI costs two processes of its own. */
const workersFor: Readonly<Record<Config["pulumi"], number>> = { auto: 4, resident: 4, cli: 2 };

/** Throws an error that names each bad variable and what it must be. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  }
  const { data } = parsed;
  return {
    namespace: data.DATABASE_OPERATOR_NAMESPACE,
    watchNamespaces: data.DATABASE_OPERATOR_WATCH_NAMESPACES,
    workers: data.DATABASE_OPERATOR_WORKERS ?? workersFor[data.DATABASE_OPERATOR_PULUMI],
    pulumi: data.DATABASE_OPERATOR_PULUMI,
    runDeadlineSeconds: data.DATABASE_OPERATOR_RUN_DEADLINE_SECONDS,
    workDirectory: data.DATABASE_OPERATOR_WORK_DIRECTORY,
    restartsAtOnce: data.DATABASE_OPERATOR_RESTARTS_AT_ONCE,
    nodeAutoscaling: data.DATABASE_OPERATOR_NODE_AUTOSCALING === "true",
    leaderElection: data.DATABASE_OPERATOR_LEADER_ELECTION === "true",
    identity: `${hostname()}_${randomUUID()}`,
    healthPort: data.DATABASE_OPERATOR_HEALTH_PORT,
    metricsPort: data.DATABASE_OPERATOR_METRICS_PORT,
    webhookPort: data.DATABASE_OPERATOR_WEBHOOK_PORT,
    webhookClientAuthority: data.DATABASE_OPERATOR_WEBHOOK_CLIENT_CA,
    logLevel: data.DATABASE_OPERATOR_LOG_LEVEL,
  };
}
