// What every phase works with.
import type { KubeClient } from "../../operator/kube/client";
import { item, resources } from "../../operator/kube/paths";
import type { Progress } from "../../tools/progress";
import type { BaselineProcess } from "./baselines/process";
import type { BenchCluster } from "./cluster";
import type { Figures } from "./figures";
import type { ChildrenBoard } from "./instruments/children";
import type { DatabasesBoard } from "./instruments/databases";
import type { MeasuredOperator } from "./operator";
import type { Size } from "./size";
import { objectOf, specWith } from "./spec";

export interface Bench {
  readonly size: Size;
  readonly figures: Figures;
  readonly progress: Progress;
  readonly cluster: BenchCluster;
  readonly children: ChildrenBoard;
  readonly databases: DatabasesBoard;
  readonly stock: BaselineProcess;
  readonly floor: BaselineProcess;
  /** Databases that our operator works on at the same time. */
  readonly workers: number;
  /** The operator that runs now. */
  readonly operator: MeasuredOperator;
}

/** Longest wait for one Database on an idle system, and for each of many. */
export const patienceMs = 120_000;
export const crowdPatienceMs = 1_500_000;

/** A Database of the benchmark. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export const keyOf = ({ namespace, name }: Place): string => `${namespace}/${name}`;

/** `count` names in a namespace. */
export const placesIn = (namespace: string, count: number, prefix = "db"): Place[] =>
  Array.from({ length: count }, (_, index) => ({ namespace, name: `${prefix}-${index}` }));

const pathOf = ({ namespace, name }: Place): string => item(resources.databases, namespace, name);

export async function makeNamespaces(client: KubeClient, ...names: string[]): Promise<void> {
  for (const name of names) {
    await client.apply(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}

/** As `kubectl apply --server-side` does. */
export async function applyDatabase(client: KubeClient, place: Place, workMem?: number): Promise<void> {
  await client.apply(pathOf(place), objectOf(place.namespace, place.name, workMem));
}

export async function editDatabase(client: KubeClient, place: Place, workMem: number): Promise<void> {
  await client.mergePatch(pathOf(place), { spec: { config: specWith(workMem).config } });
}

/** An edit that asks for nothing. */
export async function touchDatabase(client: KubeClient, place: Place, text: string): Promise<void> {
  await client.mergePatch(pathOf(place), { metadata: { annotations: { "bench.example.com/touched": text } } });
}

export async function deleteDatabase(client: KubeClient, place: Place): Promise<void> {
  await client.delete(pathOf(place));
}

/** Names of a Database's children: they follow from its own. */
export async function childrenOf({ floor }: Bench, place: Place): Promise<readonly string[]> {
  return (await floor.ask({ do: "children", ...place })).children;
}

/** Calls `act` for each, `atOnce` at a time. */
export async function forEach<T>(items: readonly T[], atOnce: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Seconds since a time of performance.now. */
export const secondsSince = (began: number, end = performance.now()): number => (end - began) / 1000;
