// The metrics of a member, from what its server reports.
import { createServer, type Server } from "node:http";
import { Counter, Gauge, Registry } from "prom-client";
import { z } from "zod";
import { listening } from "../http/server";
import { log, textOf } from "../log";
import type { Servers } from "./ports";

const Counts = z.record(z.string(), z.unknown()).default({});

/** The part of `serverStatus` that is shown. */
const ServerStatus = z.looseObject({
  uptime: z.coerce.number(),
  connections: Counts,
  opcounters: Counts,
  mem: Counts,
});

const SetStatus = z.looseObject({
  myState: z.number(),
  members: z.array(
    z.looseObject({
      name: z.string(),
      state: z.number(),
      health: z.number().default(1),
      self: z.boolean().default(false),
      optimeDate: z.date().optional(),
    }),
  ),
});
type SetStatus = z.infer<typeof SetStatus>;

/** One value of a metric. */
interface Sample {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Text of all metrics, in Prometheus' format. A server that does not answer shows as `mongodb_up 0`. */
export async function metricsOf(servers: Servers): Promise<string> {
  const registry = new Registry();
  for (const sample of await samplesOf(servers)) write(registry, sample);
  return registry.metrics();
}

/** A value that only grows since the server's start is a counter, and is named like one. */
function write(registry: Registry, { name, help, labels = {}, value }: Sample): void {
  const configuration = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  const known = registry.getSingleMetric(name);
  if (name.endsWith("_total")) {
    const counter = known instanceof Counter ? known : new Counter(configuration);
    counter.inc(labels, value);
  } else {
    const gauge = known instanceof Gauge ? known : new Gauge(configuration);
    gauge.set(labels, value);
  }
}

async function samplesOf(servers: Servers): Promise<Sample[]> {
  const up = (value: number): Sample => ({ name: "mongodb_up", help: "Whether the server answers.", value });
  try {
    const status = ServerStatus.parse(await servers.asAdministrator({ serverStatus: 1 }));
    return [up(1), ...serverSamples(status), ...(await setSamples(servers))];
  } catch (error) {
    log("the server's statistics cannot be read", { why: textOf(error) });
    return [up(0)];
  }
}

function serverSamples(status: z.infer<typeof ServerStatus>): Sample[] {
  const each = (name: string, help: string, label: string, counts: Readonly<Record<string, unknown>>): Sample[] =>
    Object.entries(counts).flatMap(([key, count]) => {
      const value = Number(count);
      return Number.isFinite(value) && typeof count !== "boolean"
        ? [{ name, help, labels: { [label]: key }, value }]
        : [];
    });
  return [
    { name: "mongodb_uptime_seconds", help: "Time since the server's start.", value: status.uptime },
    ...each("mongodb_connections", "Connections by state.", "state", status.connections),
    ...each("mongodb_operations_total", "Operations since the server's start.", "type", status.opcounters),
    ...each("mongodb_memory_mebibytes", "Memory of the server.", "type", {
      resident: status.mem["resident"],
      virtual: status.mem["virtual"],
    }),
  ];
}

/** Nothing where the server has no replica sets, or belongs to none. */
async function setSamples(servers: Servers): Promise<Sample[]> {
  const answer = await servers.asAdministrator({ replSetGetStatus: 1 }).catch(() => undefined);
  const status = SetStatus.safeParse(answer);
  if (!status.success) return [];
  const { members, myState } = status.data;
  const lag = lagOf(status.data);
  return [
    { name: "mongodb_member_state", help: "State of this member, in MongoDB's numbers.", value: myState },
    ...members.map(({ name, health }) => ({
      name: "mongodb_member_health",
      help: "Whether this member reaches the other.",
      labels: { member: name },
      value: health,
    })),
    ...(lag === undefined
      ? []
      : [{ name: "mongodb_replication_lag_seconds", help: "How far this member is behind the primary.", value: lag }]),
  ];
}

/** Seconds between the last write of the primary and the last that this member has. */
function lagOf({ members }: SetStatus): number | undefined {
  const primary = members.find(({ state }) => state === 1)?.optimeDate;
  const own = members.find(({ self }) => self)?.optimeDate;
  if (primary === undefined || own === undefined) return undefined;
  return Math.max(0, (primary.getTime() - own.getTime()) / 1000);
}

/** Serves them at /metrics on all addresses. */
export function serveMetrics(port: number, servers: Servers): Promise<Server> {
  const server = createServer((asked, response) => {
    if (asked.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metricsOf(servers).then(
      (text) => response.writeHead(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return listening(server, port);
}
