// Checkpoints of the stack `team.shop`, as text and as a record keeps them.
import { marksIn } from "../../operator/checkpoint/checkpoint";
import type { KeptCheckpoint } from "../../operator/domain/records";
import { canonical } from "../../operator/objects/json";

/** A checkpoint of the stack `team.shop`, with the children of these names as `Kind name`. */
export function checkpointOf(...children: readonly string[]): string {
  const resources = children.map((child) => {
    const [kind = "", name = ""] = child.split(" ");
    const type = `kubernetes:v1:${kind}`;
    const outputs = { metadata: { uid: `uid of ${child}` } };
    return { urn: `urn:pulumi:team.shop::databases::${type}::${name}`, type, id: `team/${name}`, outputs };
  });
  const latest = { secrets_providers: { type: "passphrase", state: { salt: "v1:abc" } }, resources };
  return JSON.stringify({ version: 3, checkpoint: { stack: "team.shop", latest } });
}

/** A checkpoint as a record keeps it. */
export const kept = (text: string): KeptCheckpoint => ({
  packed: Buffer.from(text),
  marks: marksIn(text, "team.shop"),
  text: () => text,
});

/** Of a Database with this template of its members, whose keys are sorted as Pulumi's engine sorts them. */
export const stateOf = (template: unknown, ...more: readonly string[]): string =>
  checkpointOf("StatefulSet shop", "Service shop", ...more)
    .replaceAll("kubernetes:v1:StatefulSet", "kubernetes:apps/v1:StatefulSet")
    .replace('"outputs":', `"inputs":${canonical({ spec: { template } })},"outputs":`);
