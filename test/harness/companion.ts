// Companions in tests: creating them, reading the part that tests are about, and waiting.
import { z } from "zod";
import { assertCondition, DatabaseView, type WantedCondition } from "./database";
import type { Patience } from "./eventually";
import type { Kubectl } from "./kubectl";
import { untilObject } from "./until";

const apiVersions = { PostgreSQLCluster: "postgres.example.com/v1", SampleDB: "database.example.com/v1" } as const;
export type CompanionName = keyof typeof apiVersions;

/** Which companion: kind, namespace, name. */
export type CompanionPlace = readonly [kind: CompanionName, namespace: string, name: string];

/** A companion as it stands. */
export const CompanionView = DatabaseView.extend({ spec: z.looseObject({}) });
export type CompanionView = z.infer<typeof CompanionView>;

/** A companion to apply. */
export function companion([kind, namespace, name]: CompanionPlace, spec: Record<string, unknown> = {}): unknown {
  const smallest = kind === "SampleDB" ? { version: "17" } : { version: "17.6" };
  return { apiVersion: apiVersions[kind], kind, metadata: { name, namespace }, spec: { ...smallest, ...spec } };
}

/** Reads a companion. Throws where there is none. */
export async function readCompanion(kubectl: Kubectl, [kind, namespace, name]: CompanionPlace): Promise<CompanionView> {
  return CompanionView.parse(await kubectl.find(kind.toLowerCase(), name, namespace));
}

/** Waits until a condition of the present generation says `status` (and `reason`), and returns the companion. */
export function untilCompanion(
  kubectl: Kubectl,
  [kind, namespace, name]: CompanionPlace,
  wanted: WantedCondition,
  patience: Patience = {},
): Promise<CompanionView> {
  const accept = (object: unknown): CompanionView => {
    const view = CompanionView.parse(object);
    assertCondition([kind, namespace, name].join(" "), view, wanted);
    return view;
  };
  return untilObject(kubectl, { kind: kind.toLowerCase(), name, namespace }, accept, patience);
}

/** Waits until the present generation is Ready and nothing is in progress. */
export async function untilCompanionReady(
  kubectl: Kubectl,
  place: CompanionPlace,
  patience: Patience = { withinMs: 120_000 },
): Promise<CompanionView> {
  await untilCompanion(kubectl, place, { type: "Reconciling", status: "False", reason: "Reconciled" }, patience);
  return untilCompanion(kubectl, place, { type: "Ready", status: "True" }, patience);
}

/** The message of a condition; empty where there is none. */
export const messageOf = ({ status }: CompanionView, type: string): string =>
  status.conditions.find((condition) => condition.type === type)?.message ?? "";
