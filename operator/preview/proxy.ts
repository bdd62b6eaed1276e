// The API server as this person may use it: `kubectl proxy` on a socket in a private directory, so that every way to
// sign in works that kubectl knows.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Access } from "../kube/client";

export interface Proxy extends Access {
  close(): Promise<void>;
}

/** Starts the proxy; resolves when it listens. */
export async function openProxy(): Promise<Proxy> {
  const directory = await mkdtemp(join(tmpdir(), "database-operator-preview-"));
  const socketPath = join(directory, "api.sock");
  const child = spawn("kubectl", ["proxy", `--unix-socket=${socketPath}`], { stdio: ["ignore", "pipe", "pipe"] });
  const close = async (): Promise<void> => {
    child.kill();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await listening(child);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    server: "http://localhost",
    headers: () => Promise.resolve({}),
    connection: () => Promise.resolve({ socketPath }),
    close,
  };
}

/** Its first line says that it listens. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stdout?.once("data", () => {
      resolve();
    });
    child.once("error", ({ message }) => {
      reject(new Error(`cannot run kubectl (${message}): put it on PATH`));
    });
    child.once("exit", () => {
      reject(new Error(`kubectl proxy ended: ${said.trim()}`));
    });
  });
}
