// That the roles are missing by which the programs of other pods connect: a new primary makes them, so that none needs the superuser.
import { textOf } from "../../log";
import type { Log } from "../log";
import type { Server, Sql, Watch } from "./ports";

/** See the header. */
export class MissingRoles implements Watch {
  readonly pauseMs = 1_000;
  #areThere = false;
  #said = "";

  constructor(
    private readonly server: Pick<Server, "isPrimary">,
    private readonly sql: Pick<Sql, "ensureRoles">,
    private readonly log: Log,
  ) {}

  async look(): Promise<void> {
    if (!(await this.server.isPrimary())) {
      this.#areThere = false;
      return;
    }
    if (this.#areThere) return;
    await this.sql.ensureRoles();
    this.#areThere = true;
    this.#said = "";
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.log(`the roles of other programs are not there yet: ${why}`);
    this.#said = why;
  }
}
