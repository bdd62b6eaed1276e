// What the operator says of the changes in the pages on the plugin, and what kubectl says of their dry run.
import type { PreviewReport } from "../../../operator/preview/report";
import type { KubectlEnd } from "../../../plugin/command/world";
import { withSpec, type Stored } from "./cluster";
import { ledger, orders } from "./shop";

/** The Database of the README. */
const myPostgres: Stored = {
  ...orders,
  metadata: { ...orders.metadata, name: "my-postgres", namespace: "production" },
};

const waits = "by the change policy it waits for approval (Switchover)";

const ofOrders: PreviewReport = {
  ...{ outcome: "Planned", operation: "Update", summary: "2 to update, 20 unchanged" },
  spec: [{ path: "spec.config.max_connections", before: "100", after: "150" }],
  effect: "Switchover",
  consequences: [
    {
      effect: "RollingRestart",
      members: ["orders-2", "orders-1", "orders-0"],
      message:
        "all members restart, one after the other (parameters that take effect only at a restart): orders-2, orders-1, then the primary orders-0",
    },
    {
      effect: "Switchover",
      members: ["orders-0"],
      message: "when it is the primary's turn another member takes over, and clients reconnect",
    },
  ],
  notes: [waits],
  ...{ waits, digest: "7f3c9a51d0e2b6a4" },
};

const ofMyPostgres: PreviewReport = {
  ...{ outcome: "Planned", operation: "Update", summary: "1 to create, 2 to update, 21 unchanged" },
  spec: [
    { path: "spec.config.work_mem", before: "8MB", after: "16MB" },
    { path: "spec.replicas", before: 3, after: 4 },
  ],
  effect: "Reload",
  consequences: [
    { effect: "None", members: [], message: "a member is added; it copies the data first" },
    {
      effect: "Reload",
      members: ["my-postgres-0", "my-postgres-1", "my-postgres-2"],
      message: "parameters apply within seconds, except those that need a restart",
    },
    { effect: "None", members: [], message: "no member restarts" },
  ],
  digest: "b24d07e6a1c9f3d8",
};

/** Files that the pages name, by the name of the Database in them. */
const changes = new Map<
  string,
  { readonly object: Stored; readonly report?: PreviewReport; readonly warnings?: string }
>([
  ["orders", { object: orders, report: ofOrders }],
  ["my-postgres", { object: myPostgres, report: ofMyPostgres }],
  [
    "ledger",
    {
      object: ledger,
      warnings:
        "Warning: all members restart, one after the other (another image): ledger-1, then the primary ledger-0\nWarning: when it is the primary's turn another member takes over, and clients reconnect\n",
    },
  ],
]);

const ofCart: PreviewReport = {
  ...{ outcome: "Unchanged", operation: "Update", consequences: [] },
};

const manifest = (name: string): string => `apiVersion: example.com/v1\nkind: Database\nmetadata: {name: ${name}}\n`;

/** By name. */
export const files: Readonly<Record<string, string>> = Object.fromEntries(
  [...changes.keys()].map((name) => [`${name}.yaml`, manifest(name)]),
);

/** What a rollback of `orders` would do, and the Database as it would be. */
const back: PreviewReport = {
  ...ofOrders,
  spec: [{ path: "spec.config.max_connections", before: "150", after: "100" }],
  digest: "e81b44c09d27a5f3",
};
const formerOrders = withSpec(orders, { config: {} });

/** The report on what is asked for; undefined where previews are not served. */
export const reportOn = (body: unknown): unknown =>
  JSON.stringify(body).includes('"config":{}') ? back : reportOnFile(body);

const reportOnFile = (body: unknown): unknown =>
  JSON.stringify(body).includes('"name":"cart"') ? ofCart : reportOnChange(body);

const reportOnChange = (body: unknown): unknown =>
  [...changes].find(([name]) => JSON.stringify(body).includes(`"name":"${name}"`))?.[1].report;

/** What `kubectl apply --dry-run=server` answers, or `kubectl patch`. */
export function dryRunOf([verb]: readonly string[], input: string): KubectlEnd {
  if (verb === "patch") return { code: 0, stdout: JSON.stringify(formerOrders), stderr: "" };
  const [, name = ""] = /name: ([a-z-]+)/.exec(input) ?? [];
  const change = changes.get(name);
  if (change === undefined) return { code: 1, stdout: "", stderr: `there is no ${name}` };
  return { code: 0, stdout: JSON.stringify(change.object), stderr: change.warnings ?? "" };
}
