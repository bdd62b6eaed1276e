// The operator's settings, read from the environment once, at the start.
import { randomUUID, X509Certificate } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { z } from "zod";
import { defaultNamespace } from "../contract/platform";
import { ChangePolicy } from "./api/change-policy";
import { DNS_LABEL } from "./api/fields";
import { databaseTerms, dayMs, type CertificateTerms } from "./certificates/rotation";
import { parseJson } from "./objects/json";

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

const changePolicy = z
  .string()
  .default("{}")
  .transform((text) => parseJson(text))
  .pipe(ChangePolicy);

const days = databaseTerms.authorityMs / dayMs;
/** So long the kubelet may take until members have other files. Certificates that live for a second would be due as they are issued. */
const shortestOverlap = 120_000 / dayMs;

/** How long certificates of Databases are good, in days, and how long two authorities are trusted at a time. */
const lives = z
  .string()
  .default("{}")
  .transform((text) => parseJson(text))
  .pipe(
    z.strictObject({
      authority: z.number().positive().max(days).default(days),
      certificate: z
        .number()
        .positive()
        .default(databaseTerms.servingMs / dayMs),
      overlap: z
        .number()
        .min(shortestOverlap, "overlap must be at least two minutes")
        .default(databaseTerms.settleMs / dayMs),
    }),
  )
  // each is renewed at two thirds of its life
  .refine(({ certificate, overlap }) => overlap <= certificate / 3, "overlap must be a third of certificate at most")
  .refine(
    ({ authority, certificate }) => certificate <= authority / 3,
    "certificate must be a third of authority at most",
  );

/** On two cores. A run waits for the API server half of its time; one over the CLI costs two processes of its own. */
const workersFor = { auto: 4, resident: 4, cli: 2 } as const;

const Environment = z
  .object({
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
    DATABASE_OPERATOR_WARNINGS_SECONDS: z.coerce.number().min(0).max(25).default(2),
    DATABASE_OPERATOR_PREVIEW_API: z.enum(["true", "false"]).default("false"),
    DATABASE_OPERATOR_CHANGE_POLICY: changePolicy,
    DATABASE_OPERATOR_RELEASE_POLICY: changePolicy,
    DATABASE_OPERATOR_APPROVALS: z.enum(["true", "false"]).default("false"),
    DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR: z.enum(["true", "false"]).default("true"),
    DATABASE_OPERATOR_CERTIFICATE_DAYS: lives,
    DATABASE_OPERATOR_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  })
  .transform((given) => ({
    /** Where the operator keeps state, keys and passwords. */
    namespace: given.DATABASE_OPERATOR_NAMESPACE,
    /** The namespaces whose Databases count; none: all. */
    watchNamespaces: given.DATABASE_OPERATOR_WATCH_NAMESPACES,
    /** Runs of Pulumi at the same time. */
    workers: given.DATABASE_OPERATOR_WORKERS ?? workersFor[given.DATABASE_OPERATOR_PULUMI],
    /** How Pulumi runs: resident, as one CLI process for each run, or resident where that is built. */
    pulumi: given.DATABASE_OPERATOR_PULUMI,
    /** Longest run of Pulumi. */
    runDeadlineSeconds: given.DATABASE_OPERATOR_RUN_DEADLINE_SECONDS,
    /** Parent of the runs' private directories. */
    workDirectory: given.DATABASE_OPERATOR_WORK_DIRECTORY,
    /** How many Databases may be restarting at a time for something that none of them asked for, once a first one is through. */
    restartsAtOnce: given.DATABASE_OPERATOR_RESTARTS_AT_ONCE,
    /** Whether nodes come as pods ask for them: then no member is held back for want of a node that could take it. */
    nodeAutoscaling: given.DATABASE_OPERATOR_NODE_AUTOSCALING === "true",
    /** Whether operators elect a leader. Without it, there must be no other operator for the same Databases. */
    leaderElection: given.DATABASE_OPERATOR_LEADER_ELECTION === "true",
    /** Distinguishes this process from all others: the pod's name, or the host's, and something random. */
    identity: `${hostname()}_${randomUUID()}`,
    /** Ports of /healthz and /readyz, and of /metrics; 0 takes a free one. */
    healthPort: given.DATABASE_OPERATOR_HEALTH_PORT,
    metricsPort: given.DATABASE_OPERATOR_METRICS_PORT,
    /** Port of /convert and /validate; 0: none are served. */
    webhookPort: given.DATABASE_OPERATOR_WEBHOOK_PORT,
    /** The authority, in PEM, whose certificates those must show who ask /validate; undefined: no client must. */
    webhookClientAuthority: given.DATABASE_OPERATOR_WEBHOOK_CLIENT_CA,
    /** How long the author of a change waits at most to hear of its consequences; 0: nothing is told. */
    warningsSeconds: given.DATABASE_OPERATOR_WARNINGS_SECONDS,
    /** Whether previews are served at the webhooks' port, to those for whom the API server asks. */
    previewApi: given.DATABASE_OPERATOR_PREVIEW_API === "true",
    /** Which changes wait, where a Database says nothing of it, and who may approve them. */
    changes: {
      policy: given.DATABASE_OPERATOR_CHANGE_POLICY,
      releases: given.DATABASE_OPERATOR_RELEASE_POLICY,
      /** Whether the API server has the policy by which approvals are judged: without it every writer of Databases could approve. */
      areApprovalsJudged: given.DATABASE_OPERATOR_APPROVALS === "true",
      mayAuthorApprove: given.DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR === "true",
    },
    /** On what terms certificates of Databases are issued. */
    certificates: termsFor(given.DATABASE_OPERATOR_CERTIFICATE_DAYS),
    logLevel: given.DATABASE_OPERATOR_LOG_LEVEL,
  }));
export type Config = Readonly<z.infer<typeof Environment>>;

function termsFor({ authority, certificate, overlap }: z.output<typeof lives>): CertificateTerms {
  const [authorityMs, servingMs, settleMs] = [authority * dayMs, certificate * dayMs, overlap * dayMs];
  const clockSkewMs = Math.min(databaseTerms.clockSkewMs, servingMs / 100);
  return { ...databaseTerms, authorityMs, servingMs, settleMs, clockSkewMs };
}

/** Throws an error that names each bad variable and what it must be. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  }
  return parsed.data;
}
