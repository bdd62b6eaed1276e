// The Database as an apply would make it. kubectl is asked, so that defaults, merges and the person's own rights apply as they will.
import { plainText } from "../text/plain-json";
import type { KubectlEnd, Reach, World } from "../command/world";
import { withPlainRemark } from "../../operator/objects/unchecked-rules";

export type DryRun =
  | { readonly kind: "object"; readonly object: unknown; readonly warnings: readonly string[] }
  | { readonly kind: "refused"; readonly message: string };

export interface Manner {
  readonly reach: Reach;
  readonly namespace: string | undefined;
  readonly serverSide: boolean;
}

/** `text`: one document. */
export async function dryRun(text: string, manner: Manner, { kubectl }: Pick<World, "kubectl">): Promise<DryRun> {
  const { reach, namespace, serverSide } = manner;
  const place = namespace === undefined ? [] : ["-n", namespace];
  const how = serverSide ? ["--server-side"] : [];
  const end = await kubectl(
    ["apply", "--dry-run=server", ...how, ...place, ...flagsOf(reach), "-o", "json", "-f", "-"],
    text,
  );
  return answerOf(end);
}

function flagsOf({ kubeconfig, context, as, groups }: Reach): string[] {
  const pairs = [
    ["kubeconfig", kubeconfig],
    ["context", context],
    ["as", as],
    ...groups.map((group) => ["as-group", group] as const),
  ] as const;
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}

function answerOf({ code, stdout, stderr: told }: KubectlEnd): DryRun {
  const stderr = plainText(told);
  if (code !== 0) {
    const said = withPlainRemark(stderr.trim());
    return { kind: "refused", message: said || `kubectl ended with status ${code ?? "unknown"}` };
  }
  const warnings = stderr.split("\n").flatMap((line) => /^Warning: (.*)$/.exec(line)?.[1] ?? []);
  return { kind: "object", object: JSON.parse(stdout), warnings };
}
