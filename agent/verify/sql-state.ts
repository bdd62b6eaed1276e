// The five characters by which servers of SQL say what an error is about: unlike its text they show nothing of the data.

/** SQLSTATE of an error of the server, as either driver has it; undefined where it has none, as where the connection broke. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("sqlState" in error) return stateIn(error.sqlState);
  return "code" in error && "severity" in error ? stateIn(error.code) : undefined;
}

const stateIn = (text: unknown): string | undefined =>
  typeof text === "string" && /^[0-9A-Z]{5}$/.test(text) ? text : undefined;
