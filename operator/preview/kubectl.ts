// The two questions that are put to kubectl, so that defaults, rules and the person's own rights apply as they would.
import { spawn } from "node:child_process";
import { z } from "zod";
import { convertDatabase } from "../api/conversion";
import { API_VERSION } from "../api/crd";
import { databaseResource } from "../../contract/resources";
import type { Arguments } from "./arguments";
import { withPlainRemark } from "../objects/unchecked-rules";

const List = z.object({ kind: z.literal("List"), items: z.array(z.unknown()) });

/** What kubectl answered. */
export type Answer =
  /** `warnings` are kubectl's or the API server's own lines. */
  | { readonly kind: "object"; readonly object: unknown; readonly warnings: readonly string[] }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly message: string };

type ApplyPlace = Pick<Arguments, "namespace" | "serverSide">;

/** The object as it would be after `kubectl apply`. */
export function dryRun(text: string, { namespace, serverSide }: ApplyPlace): Promise<Answer> {
  const manner = serverSide ? ["--server-side"] : [];
  return kubectl(["apply", "--dry-run=server", ...manner, ...placed(namespace), "-o", "json", "-f", "-"], text);
}

/** The object as it would be after a server-side apply by `manager`. */
export function wouldApply(text: string, manager: string): Promise<Answer> {
  const manner = ["--server-side", "--force-conflicts", `--field-manager=${manager}`];
  return kubectl(["apply", "--dry-run=server", ...manner, "-o", "json", "-f", "-"], text);
}

/** The object as it is in the cluster. */
export function live(text: string, { namespace }: ApplyPlace): Promise<Answer> {
  return kubectl(["get", "--ignore-not-found", ...placed(namespace), "-o", "json", "-f", "-"], text);
}

/** All Databases that are not about to go. Throws kubectl's words. */
export async function allLive({ namespace }: Pick<Arguments, "namespace">): Promise<readonly unknown[]> {
  const where = namespace === undefined ? ["--all-namespaces"] : placed(namespace);
  const kind = `${databaseResource.plural}.${API_VERSION.split("/").reverse().join(".")}`;
  const { code, stdout, stderr } = await ran(["get", kind, ...where, "-o", "json"], "");
  if (code !== 0) throw new Error(stderr.trim() || `kubectl ended with status ${code ?? "unknown"}`);
  return List.parse(JSON.parse(stdout)).items.filter((item) => !Going.safeParse(item).success);
}

const Going = z.object({ metadata: z.object({ deletionTimestamp: z.string() }) });

const placed = (namespace: string | undefined): string[] => (namespace === undefined ? [] : ["-n", namespace]);

async function kubectl(args: readonly string[], input: string): Promise<Answer> {
  try {
    const { code, ...printed } = await ran(args, input);
    return answerOf(code, printed);
  } catch (error) {
    return { kind: "refused", message: error instanceof Error ? error.message : String(error) };
  }
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects where it cannot be run. */
function ran(args: readonly string[], input: string): Promise<Ran> {
  const child = spawn("kubectl", args, { stdio: ["pipe", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  // one that ends without reading its input is judged by its exit code
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", ({ message }) => {
      reject(new Error(`cannot run kubectl (${message}): put it on PATH`));
    });
    child.on("close", (code) => {
      resolve({ code, ...printed });
    });
  });
}

function answerOf(code: number | null, { stdout, stderr }: { stdout: string; stderr: string }): Answer {
  if (code !== 0)
    return {
      kind: "refused",
      message: withPlainRemark(stderr.trim()) || `kubectl ended with status ${code ?? "unknown"}`,
    };
  if (stdout.trim() === "") return { kind: "none" };
  const warnings = stderr.split("\n").filter((line) => line.trim() !== "" && !isOfDryRun(line));
  const object = stored(firstOf(JSON.parse(stdout)));
  return object === undefined ? { kind: "none" } : { kind: "object", object, warnings };
}

/** kubectl's move from client-side to server-side apply takes two writes, and so always fails where no write happens. */
const isOfDryRun = (line: string): boolean => /failed to migrate .*last-applied-configuration/.test(line);

/** The Database in the version in which the operator reads it: kubectl answers in that of the file. */
function stored(object: unknown): unknown {
  const conversion = convertDatabase(object, API_VERSION);
  return conversion.ok ? conversion.object : object;
}

/** `kubectl get -f` answers with a list. */
function firstOf(answer: unknown): unknown {
  const list = List.safeParse(answer);
  return list.success ? list.data.items[0] : answer;
}
