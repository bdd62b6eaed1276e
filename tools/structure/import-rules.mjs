// Who may import whom. A path stands for a file or a folder, with all below it, and has no extension; anything else stands for a package.
import { existsSync, globSync, readdirSync } from "node:fs";
import { join } from "node:path";

const agentFolder = join(import.meta.dirname, "../../agent");

/** The folders of agents, one for each engine: those with programs. */
const agents = readdirSync(agentFolder)
  .filter((name) => existsSync(join(agentFolder, name, "programs.ts")))
  .map((name) => `agent/${name}`);

/** What decides in one of them. */
const decisionsOf = (agent) =>
  globSync("**/decide.ts", { cwd: join(agentFolder, "..", agent) }).map(
    (path) => `${agent}/${path.replace(/\.ts$/, "")}`,
  );

/** What loads the SDK of S3. */
const storageClient = "agent/object-storage/s3-bucket";

/** The packages that speak to the world. */
const sdks = ["@pulumi", "@kubernetes", "undici", "prom-client"];

/**
 * Each holds for `code`, but for what is in `except`: it imports `only` these, and `not` those, unless they are in `allowing`.
 * Every rule that a file comes under holds for it.
 */
export const importRules = [
  {
    code: ["contract"],
    only: ["contract"],
    why: "contract has plain constants: its importers must not get anything else with them",
  },
  {
    code: ["operator/api"],
    except: ["operator/api/generate"],
    only: ["operator/api", "contract", "zod"],
    why: "operator/api is the API: schemas and rules, by zod alone",
  },
  {
    code: ["components"],
    only: ["components", "contract", "@pulumi", "node:"],
    why: "components is a plain Pulumi library",
  },
  {
    code: ["components"],
    except: ["components/kubernetesx"],
    not: ["@pulumi/kubernetesx"],
    why: "only components/kubernetesx/ imports kubernetesx",
  },
  {
    code: ["operator/domain"],
    only: ["operator/domain", "operator/api", "operator/objects", "components", "contract", "node:", "zod"],
    why: "operator/domain says what exists, and what is needed from outside: it implements none of it",
  },
  {
    code: ["operator/objects"],
    only: ["operator/objects", "contract", "node:", "zod"],
    why: "operator/objects reads what all objects have",
  },
  {
    code: ["operator/queue"],
    only: ["operator/queue", "operator/domain", "contract", "node:"],
    why: "the queue knows nothing of what waits in it",
  },
  {
    code: ["operator/kube"],
    not: ["@pulumi", "operator/stack", "operator/reconcile", "components"],
    allowing: ["components/naming", "components/member"],
    why: "operator/kube talks to the API server and decides nothing",
  },
  {
    code: ["operator/stack"],
    not: ["@kubernetes", "undici", "operator/reconcile", "operator/kube"],
    why: "operator/stack runs Pulumi and knows no Kubernetes client",
  },
  {
    code: [
      "operator/checkpoint",
      "operator/reconcile",
      "operator/rollout",
      "operator/placement",
      "operator/companions",
      "operator/backups",
      "operator/history",
      "operator/leadership",
    ],
    not: [...sdks, "operator/kube", "operator/stack", "operator/admission", "operator/metrics"],
    why: "decisions know no SDK: they get the world through ports",
  },
  {
    code: ["operator/preview-api"],
    only: ["operator/preview-api", "operator/api", "operator/objects", "contract", "node:", "zod"],
    why: "operator/preview-api answers the API server: it gets previews and the cluster through ports",
  },
  {
    code: ["operator/consequences"],
    only: [
      ...["operator/consequences", "operator/domain", "operator/api", "operator/objects", "operator/rollout"],
      ...["components/naming", "components/member", "contract", "node:"],
    ],
    why: "operator/consequences says what a change means, by what it is told: it looks at nothing itself",
  },
  {
    code: ["operator/policy"],
    only: ["operator/policy", "operator/consequences", "operator/domain", "operator/api", "contract", "node:"],
    why: "operator/policy says whether a change may happen now, by what it is told: it looks at nothing itself",
  },
  {
    code: ["operator/certificates"],
    only: ["operator/certificates", "@peculiar/x509", "reflect-metadata", "node:"],
    why: "operator/certificates issues and renews: where certificates are kept, and who is served with them, is handed in",
  },
  {
    code: ["operator/certificates/rotation", "operator/certificates/certificate-set"],
    not: ["@peculiar/x509"],
    why: "the time of renewals is pure: issue.ts makes certificates",
  },
  {
    code: ["operator/admission"],
    not: ["@pulumi", "@kubernetes", "operator/stack", "operator/kube"],
    why: "operator/admission answers the API server: it gets the cluster through ports",
  },
  {
    code: [
      "operator/admission/review",
      "operator/admission/convert",
      "operator/admission/validate",
      "operator/admission/verdict",
    ],
    not: ["@peculiar/x509", ...sdks, "node:https", "operator/admission/server"],
    why: "answers are pure: server.ts has what they need of the world",
  },
  {
    code: ["operator"],
    except: ["operator/wiring", "operator/main", "operator/preview"],
    not: ["operator/wiring", "operator/main", "operator/config", "operator/preview"],
    why: "only the programs know how the operator is put together",
  },
  {
    code: ["operator/leadership/election"],
    only: ["operator/leadership", "node:"],
    why: "the election knows no API: operator/wiring/term.ts brings them together",
  },
  {
    code: ["agent"],
    except: [...agents, storageClient],
    only: ["agent", "contract", "node:", "zod"],
    why: "agent runs in the members' pods: it is small and self-contained",
  },
  {
    code: ["agent"],
    except: ["agent/object-storage"],
    not: [storageClient],
    why: "the client of object storage is large: agent/object-storage/open.ts loads it where a program needs it",
  },
  {
    code: ["agent"],
    except: agents,
    not: agents,
    why: "what all engines' agents share must not know any engine",
  },
  {
    code: agents,
    not: [
      ...["components", "examples", "infra", "operator", "resident", "stacks", "tools"],
      ...sdks.filter((sdk) => sdk !== "prom-client"),
    ],
    why: "an engine's agent has its server's driver, and nothing else of ours but contract",
  },
  ...agents.flatMap((agent) => [
    {
      code: decisionsOf(agent),
      // what drills of all engines decide is as pure
      only: [agent, "agent/verify/decide", "agent/verify/sql-state", "contract"],
      why: `decisions of ${agent} are pure: other files have what they need of the world`,
    },
    {
      code: [agent],
      not: agents.filter((other) => other !== agent),
      why: `${agent} knows no other engine's agent`,
    },
  ]),
  {
    code: ["agent/mysql/outage", "agent/mysql/gtid", "agent/mysql/hand-over"],
    only: ["agent/mysql", "contract"],
    why: "decisions are pure: member.ts and perform.ts have what they need of the world",
  },
  {
    code: ["agent/mongodb/membership"],
    only: ["agent/mongodb", "contract"],
    why: "decisions are pure: member.ts and act.ts have what they need of the world",
  },
  {
    code: ["agent/postgresql/watch/standstill"],
    only: ["agent/postgresql", "contract"],
    why: "decisions are pure: the files beside them have what they need of the world",
  },
  {
    code: ["plugin"],
    only: [
      ...["plugin", "package", "operator/api", "operator/consequences/consequence", "operator/objects"],
      ...["operator/preview/documents", "operator/preview/report", "operator/preview/fleet"],
      ...["components/naming", "components/member"],
      ...["contract", "@kubernetes", "hono", "@hono/node-server", "js-yaml", "p-limit", "yaml", "zod", "node:"],
    ],
    why: "the plugin starts at every call: it knows the API, and nothing of how the operator carries it out",
  },
  {
    code: ["plugin"],
    except: ["plugin/cluster", "plugin/console/serve"],
    not: ["@kubernetes", "js-yaml", "node:https", "node:http"],
    why: "only plugin/cluster talks to the API server: the rest gets it through ports",
  },
  {
    code: ["plugin"],
    except: ["plugin/console"],
    not: ["hono", "@hono/node-server", "plugin/console"],
    allowing: ["plugin/console/command"],
    why: "only the console serves pages",
  },
  {
    code: ["plugin/console/pages", "plugin/console/assets"],
    not: ["@hono/node-server", "plugin/console/web", "plugin/console/access", "node:https", "node:http"],
    why: "pages are pure functions from what was read to HTML",
  },
  {
    code: ["infra"],
    not: ["operator"],
    why: "infra installs generated files; it never imports the operator",
  },
  {
    code: ["operator", "agent", "components", "contract", "infra", "plugin", "stacks", "examples"],
    not: ["measure", "test", "tools"],
    why: "the product does not know its tests, measurements and tools",
  },
  {
    code: ["measure"],
    not: ["test"],
    allowing: [
      ...["test/harness", "test/judges/invariants"],
      ...["test/judges/reliability", "test/runner/groups", "test/runner/rotation-record", "test/runner/told"],
    ],
    why: "of the tests, measurements use the harness, the judge of a cluster, and what is on record of how tests ended",
  },
  {
    code: ["test"],
    except: ["test/e2e"],
    not: ["measure"],
    why: "only stories on real nodes do what measurements do",
  },
];
