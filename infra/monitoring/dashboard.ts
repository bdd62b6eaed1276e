// The Grafana dashboard of operator and Databases: what a Grafana with a dashboard sidecar loads from a ConfigMap.
import { queries } from "./queries";

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
  readonly refId: string;
}

type Unit = "short" | "s" | "ops" | "bytes" | "percentunit";

interface Panel {
  readonly id: number;
  readonly type: "stat" | "timeseries";
  readonly title: string;
  readonly description?: string;
  readonly datasource: typeof datasource;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly fieldConfig: {
    readonly defaults: { readonly unit: Unit; readonly min: 0 };
    readonly overrides: readonly [];
  };
  readonly targets: readonly Target[];
}

/** A panel without its place. Queries by their legend; in braces, the label that distinguishes series. */
interface PanelSpec {
  readonly title: string;
  readonly description?: string;
  readonly unit?: Unit;
  readonly show: Readonly<Record<string, string>>;
}

/** The parts of Grafana's model that are used here. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly editable: boolean;
  readonly refresh: string;
  readonly time: { readonly from: string; readonly to: string };
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[];
  };
  readonly panels: readonly Panel[];
}

const datasource = { type: "prometheus", uid: "${datasource}" } as const;

const stats: readonly PanelSpec[] = [
  { title: "Operator leads", description: "1 while one operator is active.", show: { leading: queries.leading } },
  { title: "Databases", show: { databases: queries.databases } },
  { title: "Not ready", show: { "not ready": `count(${queries.notReady}) or vector(0)` } },
  { title: "Wait for a person", show: { stalled: `count(${queries.stalled}) or vector(0)` } },
  {
    title: "Changes that wait for approval",
    description: "And those of which it cannot be told what they do.",
    show: {
      approval: `count(${queries.awaitingApproval}) or vector(0)`,
      "not previewed": `count(${queries.notPreviewed}) or vector(0)`,
    },
  },
  { title: "Changes that wait for a window", show: { window: `count(${queries.awaitingWindow}) or vector(0)` } },
];

const graphs: readonly PanelSpec[] = [
  { title: "Databases by phase", show: { "{{phase}}": queries.phases } },
  { title: "Members that are missing", show: { missing: queries.membersMissing } },
  {
    title: "Replicas that are missing or do not stream",
    show: { missing: queries.replicasMissing },
  },
  { title: "Reconciles", unit: "ops", show: { "{{result}}": queries.reconciles } },
  {
    title: "Duration of reconciles",
    unit: "s",
    show: { median: queries.reconcileSeconds(0.5), "99 %": queries.reconcileSeconds(0.99) },
  },
  { title: "Databases that wait", description: "For a look, or for a run.", show: { "{{name}}": queries.queueDepth } },
  { title: "How long they wait (99 %)", unit: "s", show: { "{{name}}": queries.queueWait(0.99) } },
  { title: "Pulumi runs", unit: "ops", show: { "{{operation}} {{result}}": queries.runs } },
  { title: "Duration of Pulumi runs (99 %)", unit: "s", show: { "{{operation}}": queries.runSeconds(0.99) } },
  {
    title: "Drift",
    description: "Children that other clients changed, and what was restored.",
    show: { "found: {{kind}}": queries.driftFound, "restored: {{kind}}": queries.driftRepaired },
  },
  { title: "Age of the last backup", unit: "s", show: { "{{namespace}}/{{name}}": queries.backupAge } },
  { title: "Pulumi processes started", description: "None at rest.", show: { "{{kind}}": queries.processes } },
  { title: "Watches that broke", show: { "{{kind}}": queries.watchRestarts } },
  {
    title: "Memory of the operator",
    unit: "bytes",
    show: { "process {{pod}}": queries.memory, "container {{pod}}": queries.memoryOfContainer },
  },
  {
    title: "CPU of the operator",
    description: "In cores.",
    show: { "process {{pod}}": queries.cpu, "container {{pod}}": queries.cpuOfContainer },
  },
  { title: "Share of workers that are busy", unit: "percentunit", show: { busy: queries.workersBusy } },
];

/** Grafana's columns. */
const wide = 24;

const panelOf = (
  wish: PanelSpec,
  type: Panel["type"],
  place: { id: number; x: number; y: number; w: number },
): Panel => ({
  id: place.id,
  type,
  title: wish.title,
  ...(wish.description !== undefined && { description: wish.description }),
  datasource,
  gridPos: { h: type === "stat" ? 4 : 8, w: place.w, x: place.x, y: place.y },
  fieldConfig: { defaults: { unit: wish.unit ?? "short", min: 0 }, overrides: [] },
  targets: Object.entries(wish.show).map(([legendFormat, expr], index) => ({
    ...{ expr, legendFormat, refId: String.fromCharCode(65 + index) },
  })),
});

/** The dashboard; always the same. */
export function dashboard(): Dashboard {
  const top = stats.map((wish, index) => {
    const w = wide / stats.length;
    return panelOf(wish, "stat", { id: index + 1, w, x: index * w, y: 0 });
  });
  const below = graphs.map((wish, index) => {
    const place = { w: wide / 2, x: (index % 2) * (wide / 2), y: 4 + Math.floor(index / 2) * 8 };
    return panelOf(wish, "timeseries", { id: stats.length + index + 1, ...place });
  });
  return {
    uid: "database-operator",
    title: "Database operator",
    tags: ["databases"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: [...top, ...below],
  };
}
