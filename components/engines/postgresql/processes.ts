// How many processes a PostgreSQL server makes room for, and whether it can.
import type { ParameterProblem } from "../engine";
import { defaultConnections } from "./sizes";

/** The most that a server of any version has room for. */
const maxProcesses = 262_143;

const defaults = {
  max_connections: Number(defaultConnections),
  autovacuum_max_workers: 3,
  max_worker_processes: 8,
  max_wal_senders: 10,
} as const;

/** The parameters that each make room for some. */
export const processParameters: readonly string[] = Object.keys(defaults);

/** At least. */
export function processesOf(parameters: Readonly<Record<string, string>>): number {
  return Object.entries(defaults).reduce((sum, [name, number]) => sum + countOf(parameters[name], number), 1);
}

/** What is wrong with these together, each of which is taken by itself. */
export function processProblems(config: Readonly<Record<string, string>>): ParameterProblem[] {
  return [roomProblem(config), reservedProblem(config)].filter((problem) => problem !== undefined);
}

function roomProblem(config: Readonly<Record<string, string>>): ParameterProblem | undefined {
  const count = processesOf(config);
  const [parameter] = processParameters
    .filter((name) => config[name] !== undefined)
    .sort((left, right) => countOf(config[right], 0) - countOf(config[left], 0));
  if (count <= maxProcesses || parameter === undefined) return undefined;
  const message = `parameter "${parameter}" is "${config[parameter] ?? ""}": with ${processParameters.filter((name) => name !== parameter).join(", ")} that makes ${count} processes, and no server has room for more than ${maxProcesses}: lower it`;
  return { parameter, message };
}

function reservedProblem(config: Readonly<Record<string, string>>): ParameterProblem | undefined {
  const connections = countOf(config["max_connections"], defaults.max_connections);
  const reserved = { superuser_reserved_connections: 3, reserved_connections: 0 };
  const counts = Object.entries(reserved).map(([name, number]) => ({ name, count: countOf(config[name], number) }));
  const [largest] = counts.sort((left, right) => right.count - left.count);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (largest === undefined || total < connections) return undefined;
  const parameter = config[largest.name] === undefined ? "max_connections" : largest.name;
  const message = `parameter "${parameter}" is "${config[parameter] ?? ""}": all of max_connections (${connections}) would be reserved, and the server would not start: leave some to applications`;
  return { parameter, message };
}

function countOf(text: string | undefined, otherwise: number): number {
  const count = Number(text ?? otherwise);
  return Number.isFinite(count) ? Math.max(0, count) : otherwise;
}
