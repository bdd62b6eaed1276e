// A session of SQL that answers by a script and remembers what it was asked.
import type { Session } from "../../../agent/postgresql/server/connection";

type Rows = readonly (readonly unknown[])[];

/** Answers the first rule whose part is in a statement; no rows where none is. */
export class ScriptedSession implements Session {
  readonly version: number;
  readonly asked: string[] = [];
  readonly #rules: readonly (readonly [string, Rows])[];
  isClosed = false;

  constructor(version: number, rules: readonly (readonly [string, Rows])[] = []) {
    this.version = version;
    this.#rules = rules;
  }

  run(statements: string): Promise<void> {
    this.asked.push(statements);
    return Promise.resolve();
  }

  rows(statement: string): Promise<Rows> {
    this.asked.push(statement);
    return Promise.resolve(this.#rules.find(([part]) => statement.includes(part))?.[1] ?? []);
  }

  close(): void {
    this.isClosed = true;
  }
}
