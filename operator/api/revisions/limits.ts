// How much of a Database's history is kept: what an object may hold, and how many there are.

/** How many revisions of a Database are kept. */
export const mostRevisions = 20;

/** How much one holds. What is longer is shortened, and of lists the newest, or the weightiest, are kept. */
export const revisionLimits = {
  summary: 1024,
  user: 256,
  release: 64,
  changes: 40,
  path: 256,
  value: 256,
  putBack: 20,
  consequences: 20,
  message: 512,
  members: 10,
  incidents: 40,
  reasons: 4,
  /** Of a spec as JSON, in characters. A larger one is not kept, and cannot be gone back to. */
  template: 65_536,
} as const;
