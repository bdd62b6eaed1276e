// The history of the Database `orders` in `shop`.
import type { Stored } from "./cluster";

const group = "example.com/v1";

const image = "postgresql:17.12";
const template = (spec: object): object => ({
  ...{ engine: "postgresql", version: "17.12", replicas: 3, storage: "100Gi" },
  ...{ backup: { enabled: true, schedule: "0 2 * * *" }, ...spec },
});

const revision = (number: number, spec: object, status: object): Stored => ({
  apiVersion: group,
  kind: "DatabaseRevision",
  metadata: {
    ...{ name: `orders-uid-orde-${number}`, namespace: "shop", uid: `uid-${number}`, resourceVersion: "800" },
    ownerReferences: [{ apiVersion: group, kind: "Database", name: "orders", uid: "uid-orders" }],
  },
  spec: {
    ...{ database: "orders", revision: number, origin: "Spec", summary: "2 updated, 20 unchanged", runSeconds: 2 },
    ...{ manager: "kubectl-edit", changes: [], image, ...spec },
  },
  status: { result: "Complete", ...status },
});

const upgraded = "revision 40: image postgresql:17.11 → postgresql:17.12";

/** What became of `orders`: an upgrade that was approved, an edit that was put back, and a change of now. */
export const revisions: readonly Stored[] = [
  revision(
    39,
    {
      ...{ at: "2026-11-21T17:03:00Z", origin: "Repair", manager: "kubectl-edit", generation: 2 },
      ...{
        summary: "restored: Service orders-ro",
        putBack: ["Service orders-ro was edited by kubectl-edit: spec.selector"],
      },
      template: template({ version: "17.11", config: { max_connections: "100" } }),
    },
    { completedAt: "2026-11-21T17:03:02Z", seconds: 3 },
  ),
  revision(
    40,
    {
      ...{ at: "2026-11-22T02:03:40Z", author: "jane", manager: "argocd-controller", generation: 3 },
      approval: {
        ...{ plan: "51d0e2b6a47f3c9a", by: "maria", effect: "Switchover" },
        consequences: [
          { effect: "RollingRestart", members: ["orders-2", "orders-1", "orders-0"], message: "all members restart" },
          { effect: "Switchover", members: ["orders-0"], message: "another member becomes primary" },
        ],
      },
      changes: [
        { path: "image", before: "postgresql:17.11", after: image },
        { path: "spec.version", before: "17.11", after: "17.12" },
      ],
      ...{
        restarts: upgraded.replace(/^revision 40: /, ""),
        template: template({ config: { max_connections: "100" } }),
      },
    },
    {
      ...{ completedAt: "2026-11-22T02:06:40Z", seconds: 182, restarted: 3, interruptionSeconds: 2 },
      incidents: [
        { at: "2026-11-22T02:05:10Z", kind: "Restarted", member: "orders-2", why: [upgraded] },
        { at: "2026-11-22T02:05:50Z", kind: "Restarted", member: "orders-1", why: [upgraded] },
        { at: "2026-11-22T02:06:31Z", kind: "Restarted", member: "orders-0", why: [upgraded] },
        {
          ...{ at: "2026-11-22T02:06:31Z", kind: "Interrupted", member: "orders-0", seconds: 2 },
          why: ["orders-0, which led, was restarted", upgraded],
        },
      ],
    },
  ),
  revision(
    41,
    {
      ...{ at: "2026-11-27T13:00:03Z", manager: "argocd", generation: 4, restarts: "max_connections 100 → 150" },
      changes: [{ path: "spec.config.max_connections", before: "100", after: "150" }],
      template: template({ config: { max_connections: "150" } }),
    },
    {
      ...{ completedAt: "2026-11-27T14:30:10Z", seconds: 5409, restarted: 1 },
      incidents: [
        {
          ...{ at: "2026-11-27T14:30:02Z", kind: "Restarted", member: "orders-1" },
          why: ["revision 41: max_connections 100 → 150"],
        },
      ],
    },
  ),
];
