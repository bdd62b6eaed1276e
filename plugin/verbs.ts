// The verbs, in the order of help: first how things are, then what would be, then what was. Each loads what it needs when it is run.
import { clusterFlags } from "./command/flags";
import type { Verb } from "./command/verb";

export const verbs: readonly Verb[] = [
  {
    name: "status",
    does: "How a Database fares, or all of a namespace",
    takes: "a name or none",
    flags: ["all-namespaces", "watch", "output", "no-headers", ...clusterFlags],
    formats: ["wide", "json", "yaml", "name"],
    more: [
      "Without a name it has a line for each Database; those that need a person come first.",
      "Exit code: 0, whatever it found; 2 where that could not be read. For scripts there is `wait`.",
    ],
    examples: ["status", "status orders -n shop", "status -A --watch", "status orders -o json"],
    load: async () => (await import("./status/command.js")).run,
  },
  {
    name: "preview",
    does: "What applying or deleting the Databases of a file would do; it changes nothing",
    takes: "nothing",
    flags: ["filename", "delete", "server-side", "objects", "output", ...clusterFlags],
    formats: ["json", "yaml"],
    more: [
      "The operator makes the preview, for everyone who may write the Database; the platform's setting previewApi allows it.",
      "Exit code: 0 nothing would change, 1 something would, 2 it is refused or could not be told.",
    ],
    examples: ["preview -f orders.yaml", "preview -f orders.yaml --objects", "preview -f orders.yaml --delete"],
    load: async () => (await import("./preview/command.js")).run,
  },
  {
    name: "fleet",
    does: "What the operator would do to all Databases, one line each, those that it hurts first; it changes nothing",
    takes: "nothing",
    flags: ["all-namespaces", "filename", "catalogue", "server-side", "output", "no-headers", ...clusterFlags],
    formats: ["json", "yaml"],
    more: [
      "As they are: what waits, and what is under way. With -f of a ConfigMap: those that name it in configFrom, as if it were applied. With --catalogue: as if its images were those. With -f of Databases: as if they were applied.",
      "The operator makes each preview, for those who may write that Database; the platform's setting previewApi allows it.",
      "Exit code: 0 nothing would change, 1 something would, 2 some of it is refused or could not be told.",
    ],
    examples: ["fleet -A", "fleet -n shop -f tuning.yaml", "fleet -A --catalogue catalogue.json"],
    load: async () => (await import("./fleet/command.js")).run,
  },
  {
    name: "why",
    does: "Why a Database, or one of its members, is as it is",
    takes: "a name",
    placeholder: "NAME|MEMBER",
    flags: ["all", "output", ...clusterFlags],
    formats: ["json", "yaml"],
    more: [
      "From the status, the pods, the history, and the events, which most clusters keep for an hour.",
      "Exit code: 0, whatever it found; 2 where that could not be read.",
    ],
    examples: ["why orders", "why orders-0 -n shop", "why orders --all"],
    load: async () => (await import("./why/command.js")).run,
  },
  {
    name: "history",
    does: "Which changes there were: by whom, approved by whom, and what came of them",
    takes: "a name",
    flags: ["revision", "output", "no-headers", ...clusterFlags],
    formats: ["wide", "json", "yaml", "name"],
    more: ["Exit code: 0, whatever it found; 2 where that could not be read."],
    examples: ["history orders -n shop", "history orders --revision=40", "history orders --revision=40 -o yaml"],
    load: async () => (await import("./history/command.js")).run,
  },
  {
    name: "rollback",
    does: "Go back to the spec of a former revision: show what that does, ask, and write it",
    takes: "a name",
    flags: ["to-revision", "dry-run", "yes", "keep-version", "force", "objects", ...clusterFlags],
    formats: [],
    more: [
      "It is a change like any other: the change policy may have it wait for approval. Data are not gone back with.",
      "Exit code: 0 it is written, or nothing differs, 1 it is not written, or with --dry-run would be, 2 it could not be.",
    ],
    examples: ["rollback orders --dry-run", "rollback orders --to-revision=39", "rollback orders --yes"],
    load: async () => (await import("./rollback/command.js")).run,
  },
  {
    name: "backups",
    does: "Which backups there are, and to which moments a restore can go back",
    takes: "a name or none",
    flags: ["all-namespaces", "output", "no-headers", ...clusterFlags],
    formats: ["wide", "json", "yaml", "name"],
    more: ["Exit code: 0, whatever it found; 2 where that could not be read."],
    examples: ["backups orders -n shop", "backups -A", "backups orders -o wide"],
    load: async () => (await import("./backups/command.js")).run,
  },
  {
    name: "backup",
    does: "Ask for a backup of a Database now",
    takes: "a name",
    flags: ["keep", ...clusterFlags],
    formats: [],
    more: [
      "It creates a DatabaseBackup, and needs the right to: the role edit has it. Then `backups` says what became of it.",
      "Exit code: 0 it is asked for, 2 it could not be.",
    ],
    examples: ["backup orders -n shop", "backup orders --keep"],
    load: async () => (await import("./backup/command.js")).run,
  },
  {
    name: "approve",
    does: "Approve the change of a Database that waits, or of all, by the plans that it shows",
    takes: "a name or none",
    flags: ["plan", "all", "all-namespaces", "release", "effect", "now", "yes", "timeout", ...clusterFlags],
    formats: [],
    more: [
      "It needs the verbs `approve` and `patch` on the Database: the ClusterRole database-operator-approve has both.",
      "It asks first; in scripts write --yes, with --plan for the plan that was looked at. Then it waits for the operator's word, as long as --timeout (10s).",
      "With --all it shows a table, asks once, and approves each plan of it; DataLoss and CannotBeTold only where --effect names them. It does not wait for the operator's word then.",
      "Exit code: 0 approved, 1 not approved: nothing waits, another plan does, or the answer was no; 2 refused, or not told.",
    ],
    examples: [
      "approve orders",
      "approve orders -n shop --plan=7f3c9a51d0e2 --yes",
      "approve orders --now",
      "approve --all -A --release",
    ],
    load: async () => (await import("./approve/command.js")).run,
  },
  {
    name: "reject",
    does: "Take back the approval of a change that waits, while it has not begun",
    takes: "a name",
    flags: ["plan", ...clusterFlags],
    formats: [],
    more: [
      "The change waits on. It needs the verb `patch` on the Database; the change itself is taken back by `rollback`.",
      "Exit code: 0 nothing approves it any more, 1 it cannot be rejected: nothing waits, or it needs no approval, 2 refused.",
    ],
    examples: ["reject orders -n shop", "reject orders --plan=7f3c9a51d0e2"],
    load: async () => (await import("./reject/command.js")).run,
  },
  {
    name: "pause",
    does: "Have the operator leave a Database as it is",
    takes: "a name",
    flags: clusterFlags,
    formats: [],
    more: [
      "It writes spec.paused. The database serves and fails over; what is edited meanwhile waits. What has begun is finished.",
      "Exit code: 0 it is paused, 2 it could not be.",
    ],
    examples: ["pause orders -n shop"],
    load: async () => (await import("./pause/command.js")).pause,
  },
  {
    name: "resume",
    does: "End a pause: show what then happens, ask, and write it",
    takes: "a name",
    flags: ["dry-run", "yes", "objects", ...clusterFlags],
    formats: [],
    more: [
      "What was edited meanwhile is carried out then, as the change policy says.",
      "Exit code: 0 it is not paused, 1 it was not resumed, or with --dry-run would be, 2 it could not be.",
    ],
    examples: ["resume orders --dry-run", "resume orders --yes"],
    load: async () => (await import("./pause/command.js")).resume,
  },
  {
    name: "wait",
    does: "Wait until a Database is ready as it was written last, or is gone",
    takes: "a name",
    flags: ["for", "timeout", ...clusterFlags],
    formats: [],
    more: [
      "It ends at once where a person must act first, and says why; else after --timeout (5m). With --timeout=0 it looks once.",
      "Exit code: 0 it has come about, 1 it has not, or will not by itself, 2 it could not be told.",
    ],
    examples: ["wait orders", "wait orders --for=deleted --timeout=2m"],
    load: async () => (await import("./wait/command.js")).run,
  },
  {
    name: "report",
    does: "Print a Database with all that is around it, without secrets, for those who are to help",
    takes: "a name",
    flags: ["output", ...clusterFlags],
    formats: ["json", "yaml", "name"],
    more: [
      "The Database, its backups, history, pods and events, as YAML, as far as you may read them. It reads no Secret and no log; values of",
      "variables of pods, and of fields that are called a password, a passphrase or a token, are left out.",
      "Exit code: 0, whatever it found; 2 where the Database could not be read.",
    ],
    examples: ["report orders -n shop > report.yaml", "report orders -o name"],
    load: async () => (await import("./report/command.js")).run,
  },
  {
    name: "console",
    does: "Pages in the browser: how Databases fare, what waits, what an edit would do",
    takes: "nothing",
    flags: ["port", ...clusterFlags],
    formats: [],
    more: [
      "On this machine alone, at 127.0.0.1, for who opens the link that it prints; all is read as you, and approved as you.",
      "Exit code: 2 where it could not begin. It ends with Ctrl-C.",
    ],
    examples: ["console", "console -n shop --port=8080"],
    load: async () => (await import("./console/command.js")).run,
  },
  {
    name: "completion",
    does: "Print the program by which kubectl completes names and flags",
    takes: "nothing",
    flags: [],
    formats: [],
    more: ["Put it on PATH, as the page on the plugin says."],
    examples: ["completion"],
    load: async () => {
      const { completionScript } = await import("./completion.js");
      return (_asked, world) => {
        world.out(completionScript);
        return Promise.resolve(0);
      };
    },
  },
  {
    name: "version",
    does: "Which version of the plugin this is",
    takes: "nothing",
    flags: [],
    formats: [],
    more: [],
    examples: ["version"],
    load: async () => {
      const { pluginVersion } = await import("./version.js");
      return (_asked, world) => {
        world.out(`${pluginVersion()}\n`);
        return Promise.resolve(0);
      };
    },
  },
];
