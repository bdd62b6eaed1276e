// The Database `billing`: a change of it waits for approval and a window.
import { z } from "zod";
import type { Stored } from "./cluster";
import { everything, orders } from "./shop";

export const plan = "7f3c9a51d0e2b6a4c8e1f09d3b5a7c6e4d2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b";

const members = ["billing-2", "billing-1", "billing-0"];

/** See the header. */
export const billing: Stored = {
  ...orders,
  metadata: { ...orders.metadata, name: "billing", uid: "uid-billing", generation: 9 },
  status: {
    ...z.looseObject({}).parse(orders["status"]),
    observedGeneration: 9,
    ...{ primary: "billing-0", endpoint: "billing.shop.svc:5432", credentialsSecret: "billing-credentials" },
    pendingChange: {
      ...{ digest: plan, effect: "Switchover", since: "2026-11-27T12:40:00Z", generation: 9 },
      ...{ requestedBy: ["john@example.com"], waitsFor: ["Approval", "Window"] },
      ...{ windowOpensAt: "2026-11-29T01:00:00Z", approveBefore: "2026-12-27T12:40:00Z" },
      changes: [
        { path: "spec.config.max_connections", before: "100", after: "150" },
        { path: "spec.config.work_mem", after: "16MB" },
      ],
      consequences: [
        {
          ...{ effect: "Switchover", members: ["billing-0"] },
          message: "when it is the primary's turn another member takes over, and clients reconnect",
        },
        {
          ...{ effect: "RollingRestart", members },
          message:
            "all members restart, one after the other (parameters that take effect only at a restart): billing-2, billing-1, then the primary billing-0",
        },
      ],
    },
  },
};

/** The same, approved by `jane`. */
export const approvedBilling: Stored = {
  ...billing,
  metadata: {
    ...billing.metadata,
    resourceVersion: "77",
    annotations: { "database.example.com/approve": plan, "database.example.com/approved-by": "jane" },
  },
  status: {
    ...z.looseObject({}).parse(billing["status"]),
    pendingChange: {
      ...z.looseObject({ pendingChange: z.looseObject({}) }).parse(billing["status"]).pendingChange,
      ...{ waitsFor: ["Window"], approval: { state: "Accepted", by: "jane" } },
    },
  },
};

const ofOrders = everything.filter(({ kind, metadata }) => kind === "Pod" && metadata.name.startsWith("orders-"));

/** Its pods: those of `orders` under other names. */
export const billingPods: readonly Stored[] = ofOrders.map((pod): Stored => {
  const name = pod.metadata.name.replace("orders", "billing");
  return { ...pod, metadata: { ...pod.metadata, name, labels: { ...pod.metadata.labels, database: "billing" } } };
});
