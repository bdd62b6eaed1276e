// What fills a data volume beside data: WAL, and the replication slot that holds most of it. Of a server that is down, what it said last counts.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { VolumeCause } from "../../../contract/volume-note";
import { fills } from "../../volume/decide";
import type { Room } from "../../volume/room";
import type { HoldingSlot, Sql } from "./ports";

/** Which part of the volume WAL is to blame for, of so many bytes of it. */
export function causeOf(room: Room, wal: number, slot: HoldingSlot | undefined): VolumeCause | undefined {
  // what a slot holds may be more than what is left of it
  const held = Math.min(slot?.bytes ?? 0, wal);
  if (slot !== undefined && fills(held, room)) return { kind: "slot", ...slot, bytes: held };
  return fills(wal, room) ? { kind: "wal", bytes: wal } : undefined;
}

/** See the header. */
export class WalCause {
  #slot: HoldingSlot | undefined;

  constructor(
    private readonly sql: Pick<Sql, "holdingSlot">,
    /** How much WAL there is, in bytes. */
    private readonly wal: () => Promise<number>,
  ) {}

  async find(room: Room): Promise<VolumeCause | undefined> {
    this.#slot = await this.sql.holdingSlot().catch(() => this.#slot);
    return causeOf(room, await this.wal(), this.#slot);
  }
}

/** The bytes of the files in a directory; none where there is no such directory. */
export async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  // one may go meanwhile
  const sizes = files.map(({ name }) =>
    stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
