// Asks another agent.
import { exchange } from "./exchange";

/** The JSON at `path` of an agent, or undefined where no valid answer comes within `withinMs`. */
export async function ask(host: string, port: number, path: string, withinMs: number): Promise<unknown> {
  try {
    const { status, text } = await exchange({ method: "GET", url: new URL(path, `http://${host}:${port}`), withinMs });
    return status === 200 ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined;
  }
}
