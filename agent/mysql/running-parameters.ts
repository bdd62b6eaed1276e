// Sets parameters that need no restart on the running server.
import { log, textOf } from "../log";
import { changesBetween, roomProblem, withinRoom, type Parameters } from "./configuration";
import type { OwnServer } from "./server/connection";

const patienceMs = 10_000;

/** See the header. */
export class RunningParameters {
  #running: Parameters = {};
  #problem: string | undefined;
  #noRoom: string | undefined;

  /** `memory`: what the pod has, in bytes. */
  constructor(
    private readonly server: OwnServer,
    private readonly memory: number,
  ) {}

  /** What the server refused last, until the parameters change again; or what its pod has no room for. */
  get problem(): string | undefined {
    return this.#problem ?? this.#noRoom;
  }

  /** A server was started with these. */
  started(parameters: Parameters): void {
    this.#running = parameters;
    this.#problem = undefined;
  }

  /** Sets what differs, each once: a value that the server refuses is refused again the next time. */
  async follow(all: Parameters): Promise<void> {
    this.#noRoom = roomProblem(all, this.memory);
    const wanted = withinRoom(all, this.#running, this.memory);
    const changes = changesBetween(this.#running, wanted);
    if (changes.length === 0) return;
    this.#running = { ...this.#running, ...dynamicOf(wanted) };
    this.#running = Object.fromEntries(
      Object.entries(this.#running).filter(([name, { restart }]) => restart || wanted[name] !== undefined),
    );
    this.#problem = undefined;
    for (const { parameter, statement } of changes) {
      try {
        await this.server.query(statement, patienceMs);
        log("a parameter was set", { parameter });
      } catch (error) {
        this.#problem = `parameter ${parameter} is refused: ${textOf(error)}`;
        log("a parameter is refused", { parameter, why: textOf(error) });
      }
    }
  }
}

const dynamicOf = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, { restart }]) => !restart));
