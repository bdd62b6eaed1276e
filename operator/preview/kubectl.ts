// The two questions that are put to kubectl, so that defaults, rules and the person's own rights apply as they would.
import { spawn } from "node:child_process";
import { z } from "zod";
import { convertDatabase } from "../api/conversion";
import { API_VERSION } from "../api/crd";
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

const placed = (namespace: string | undefined): string[] => (namespace === undefined ? [] : ["-n", namespace]);

function kubectl(args: readonly string[], input: string): Promise<Answer> {
  const child = spawn("kubectl", args, { stdio: ["pipe", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  // one that ends without reading its input is judged by its exit code
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on("error", ({ message }) => {
      resolve({ kind: "refused", message: `cannot run kubectl (${message}): put it on PATH` });
    });
    child.on("close", (code) => {
      resolve(answerOf(code, printed));
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
