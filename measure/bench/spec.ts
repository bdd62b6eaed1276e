// The one Database that everything here is measured with: it has a single member, so that the control plane that runs
// its pods in simulation is not what is measured.
import type { DatabaseSpecInput } from "../../operator/api/spec";

/** `workMem` is the parameter that an update changes. */
export const specWith = (workMem: number): DatabaseSpecInput => ({
  engine: "postgresql",
  version: "17.6",
  replicas: 1,
  storage: "1Gi",
  config: { work_mem: `${workMem}MB` },
});

export const objectOf = (namespace: string, name: string, workMem: number = workMems.created): unknown => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name, namespace },
  spec: specWith(workMem),
});

/** Values of the parameter: as it is created, as an update and as a preview set it. No other text holds them. */
export const workMems = { created: 31, updated: 37, previewed: 41 } as const;

/** Whether the child that an update reaches shows this value. */
export const shows =
  (workMem: number) =>
  (configMap: unknown): boolean =>
    configMap !== undefined && new RegExp(`\\b${workMem}MB\\b`).test(JSON.stringify(configMap));
