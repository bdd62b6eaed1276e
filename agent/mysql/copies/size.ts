// How much room a copy of a member needs: pure.

/** How much larger it may be than it seemed, and what it has beside its tables. */
const growth = 1.1;
const marginBytes = 32 * 1024 ** 2;

/** What is copied. */
export interface Copied {
  /** Bytes of its tablespaces. */
  readonly bytes: number;
  /** The capacity of the member's redo log. */
  readonly redo: number;
}

/** What must be free. CLONE does not begin where the member's whole redo log would not fit as well, though hardly any of it is copied. */
export const wantedFor = (copied: Copied): number =>
  Math.ceil(Math.max(growth * copied.bytes + marginBytes, leastFor(copied)));

/** The same on a volume as large as that of the member, which has no more room to grow either. */
export const leastFor = ({ bytes, redo }: Copied): number => bytes + redo + marginBytes / 4;
