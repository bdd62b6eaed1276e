// Follows the operator's containers where the cluster runs it: what they log, and how each of them ends.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { z } from "zod";
import { problemWith } from "../judges/invariants/alive";
import { operatorNamespace } from "../judges/invariants/snapshot";

const Ended = z.object({ containerID: z.string().default(""), exitCode: z.number(), reason: z.string().default("") });
const State = z.object({ running: z.looseObject({}).optional(), terminated: Ended.optional() }).default({});
const Pod = z.object({
  metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
  status: z
    .object({
      containerStatuses: z
        .array(z.object({ containerID: z.string().default(""), state: State, lastState: State }))
        .default([]),
    })
    .default({ containerStatuses: [] }),
});
const WatchEvent = z.object({ type: z.enum(["ADDED", "MODIFIED", "DELETED"]), object: z.unknown() });

interface Container {
  readonly pod: string;
  lines: readonly string[];
  end?: { readonly exitCode: number; readonly reason: string; readonly isDeleted: boolean };
}

/** How soon a stream that broke, with the API server say, is begun again, in milliseconds. */
const againMs = 300;

const pods = `/api/v1/namespaces/${operatorNamespace}/pods`;
const selector = "labelSelector=app.kubernetes.io%2Fname%3Ddatabase-operator";

/** See the header. */
export class OperatorContainers {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #containers = new Map<string, Container>();
  /** How many ends of its containers a pod may have. */
  readonly #announced = new Map<string, number>();
  readonly #children = new Set<() => void>();
  #isOver = false;

  /** `environment` carries cluster-admin's KUBECONFIG and a PATH on which kubectl is found. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  start(): void {
    this.#stream(`${pods}?watch=true&${selector}`, {
      onLine: (line) => {
        const event = WatchEvent.safeParse(parseJson(line)).data;
        if (event !== undefined) this.take(event.object);
      },
      wanted: () => true,
    });
  }

  /** A test ends a container of this pod, or lets its node do so. */
  announce(pod: string): void {
    this.#announced.set(pod, (this.#announced.get(pod) ?? 0) + 1);
  }

  /** What every container has logged so far. */
  get logs(): readonly (readonly string[])[] {
    return [...this.#containers.values()].map(({ lines }) => lines);
  }

  /** Ends that came without notice, one line each. */
  get ends(): readonly string[] {
    const left = new Map(this.#announced);
    return [...this.#containers.values()].flatMap((container) => {
      const problem = problemOf(container);
      const allowed = left.get(container.pod) ?? 0;
      if (problem === undefined) return [];
      left.set(container.pod, allowed - 1);
      return allowed > 0 ? [] : [problem];
    });
  }

  stop(): void {
    this.#isOver = true;
    for (const end of this.#children) end();
  }

  /** A version of a pod, as the API server sent it. */
  take(pod: unknown): void {
    const { metadata, status } = Pod.parse(pod);
    const isDeleted = metadata.deletionTimestamp !== undefined;
    for (const { containerID, state, lastState } of status.containerStatuses) {
      if (state.running !== undefined && containerID !== "" && !this.#containers.has(containerID))
        this.#followLog(this.#containerOf(containerID, metadata.name));
      for (const { terminated } of [lastState, state]) {
        if (terminated === undefined || terminated.containerID === "") continue;
        const container = this.#containerOf(terminated.containerID, metadata.name);
        container.end ??= { ...terminated, isDeleted };
      }
    }
  }

  #containerOf(id: string, pod: string): Container {
    const known = this.#containers.get(id);
    if (known !== undefined) return known;
    const made: Container = { pod, lines: [] };
    this.#containers.set(id, made);
    return made;
  }

  /** A log that is asked for again comes from its beginning; another first line is that of another container. */
  #followLog(container: Container): void {
    let lines: string[] = [];
    this.#stream(`${pods}/${container.pod}/log?follow=true`, {
      onBegin: () => {
        lines = [];
      },
      onLine: (line) => {
        lines.push(line);
        const [first = lines[0]] = container.lines;
        if (first === lines[0] && lines.length > container.lines.length) container.lines = lines;
      },
      wanted: () => container.end === undefined,
    });
  }

  #stream(path: string, { onBegin, onLine, wanted }: Stream): void {
    if (this.#isOver) return;
    const child = spawn("kubectl", ["get", "--raw", path], {
      env: { HOME: process.env["HOME"], ...this.#environment },
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.unref();
    if (child.stdout instanceof Socket) child.stdout.unref();
    onBegin?.();
    createInterface({ input: child.stdout }).on("line", onLine);
    const end = (): void => {
      child.kill();
    };
    this.#children.add(end);
    child.once("error", () => undefined);
    child.once("close", () => {
      this.#children.delete(end);
      if (this.#isOver || !wanted()) return;
      setTimeout(() => {
        this.#stream(path, { onBegin, onLine, wanted });
      }, againMs).unref();
    });
  }
}

interface Stream {
  readonly onBegin?: (() => void) | undefined;
  readonly onLine: (line: string) => unknown;
  /** Whether it is begun again when it has ended. */
  readonly wanted: () => boolean;
}

/** 128 and a signal's number: that signal ended it. */
function problemOf({ pod, lines, end }: Container): string | undefined {
  if (end === undefined) return undefined;
  const { exitCode, reason, isDeleted } = end;
  const signal = signalOf(exitCode - 128);
  return problemWith({
    who: `a container of pod ${pod} (${reason})`,
    code: signal === undefined ? exitCode : null,
    signal: signal ?? null,
    told: isDeleted ? ["SIGTERM"] : [],
    lastLine: lines.at(-1) ?? "",
  });
}

function signalOf(number: number): NodeJS.Signals | undefined {
  const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name);
  return Object.entries(constants.signals)
    .filter(([, value]) => value === number)
    .map(([name]) => name)
    .find(isSignal);
}

/** A line that the end of the connection cut off is none. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
