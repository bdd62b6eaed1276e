// Parameters that a running server applies: set where they differ, and reset once they are no longer wanted.
import { z } from "zod";
import { log, textOf } from "../log";
import type { Servers } from "./ports";
import { typedValue, type Parameters } from "./wanted";

type Value = string | number | boolean;

/** See the header. */
export class RunningParameters {
  /** What was set, as it was written. */
  readonly #set = new Map<string, string>();
  /** What they were before. */
  readonly #former = new Map<string, Value>();
  #problem: string | undefined;

  constructor(private readonly servers: Servers) {}

  /** Why the last parameter could not be set. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Called before each start of the server, which forgets what was set before. */
  started(): void {
    this.#set.clear();
    this.#former.clear();
  }

  /** Brings the server to these parameters, one after the other. A refusal is logged and does not block the others. */
  async follow(parameters: Parameters): Promise<void> {
    const problems: string[] = [];
    for (const [name, { value, restart }] of Object.entries(parameters)) {
      if (restart || this.#set.get(name) === value) continue;
      const problem = await this.#apply(name, value);
      if (problem !== undefined) problems.push(problem);
    }
    for (const name of Array.from(this.#set.keys())) {
      if (parameters[name] === undefined) await this.#putBack(name);
    }
    this.#problem = problems.length > 0 ? problems.join("; ") : undefined;
  }

  async #apply(name: string, value: string): Promise<string | undefined> {
    try {
      if (!this.#former.has(name)) this.#former.set(name, await this.#read(name));
      await this.servers.asAdministrator({ setParameter: 1, [name]: typedValue(value) });
      this.#set.set(name, value);
      log("a parameter was set", { name });
      return undefined;
    } catch (error) {
      return `${name}: ${textOf(error)}`;
    }
  }

  async #putBack(name: string): Promise<void> {
    const former = this.#former.get(name);
    if (former !== undefined) await this.servers.asAdministrator({ setParameter: 1, [name]: former });
    this.#set.delete(name);
    log("a parameter was reset", { name });
  }

  async #read(name: string): Promise<Value> {
    const answer = await this.servers.asAdministrator({ getParameter: 1, [name]: 1 });
    const values = z.record(z.string(), z.unknown()).parse(answer);
    return z.union([z.string(), z.number(), z.boolean()]).parse(values[name]);
  }
}
