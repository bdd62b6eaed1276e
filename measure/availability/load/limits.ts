// Numbers and time limits of the clients.

/** Clients that write at the same time. */
export const clients = 4;

/** In milliseconds. */
export const limits = {
  /** For a statement to be answered. */
  statement: 2000,
  /** For a connection to be opened. */
  connect: 1000,
  /** Between an acknowledgement and the next statement. */
  pause: 10,
  /** After a connection could not be opened or broke. */
  again: 100,
} as const;
