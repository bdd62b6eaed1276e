// Of which commit results are.
import { CommandError, run } from "../tools/host/command";

/** Short hash; `+` where the work tree holds more. */
export async function commitText(): Promise<string> {
  try {
    const hash = await run("git", ["rev-parse", "--short", "HEAD"], { cwd: __dirname });
    const changes = await run("git", ["status", "--porcelain"], { cwd: __dirname });
    return `${hash.trim()}${changes.trim() === "" ? "" : "+"}`;
  } catch (error) {
    if (error instanceof CommandError) return "unknown";
    throw error;
  }
}
