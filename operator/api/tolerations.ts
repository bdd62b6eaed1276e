// Which taints of nodes are tolerated: a part of the placement.
import { z } from "zod";
import { LABEL_KEY, labelValue } from "./labels";
import { matches } from "./fields";
import { rule } from "./rules";

/** A label's key, of a node or taint. */
export const nodeKey = (description: string): z.ZodString =>
  rule(z.string().max(253), {
    rule: matches("self", LABEL_KEY),
    message: "must be a label key, for example disktype or topology.kubernetes.io/zone",
    holds: (key) => LABEL_KEY.test(key),
  }).meta({ description });

const mostTolerations = 20;

const Fields = z.object({
  key: nodeKey("Key of the taint. Default: every key, which needs the operator Exists.").optional(),
  operator: z.enum(["Equal", "Exists"]).default("Equal").meta({
    description: "Equal: taints with this key and value. Exists: taints with this key, whatever their value.",
  }),
  value: labelValue().optional().meta({ description: "Value of the taint, with the operator Equal. Default: none." }),
  effect: z
    .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
    .optional()
    .meta({ description: "Effect of the taint. Default: every effect." }),
  tolerationSeconds: z.int().min(1).max(86_400).optional().meta({
    description: "With the effect NoExecute: how long a pod stays on a node that gets the taint. Default: for good.",
  }),
});

const Whole = rule(Fields, {
  rule: "has(self.key) || self.operator == 'Exists'",
  message: "is needed with the operator Equal; write a key, or operator: Exists for every taint",
  fieldPath: ".key",
  holds: ({ key, operator }) => key !== undefined || operator === "Exists",
});
const Valued = rule(Whole, {
  rule: "!has(self.value) || self.operator == 'Equal'",
  message: "counts only with the operator Equal: leave it out, or write operator: Equal",
  fieldPath: ".value",
  holds: ({ value, operator }) => value === undefined || operator === "Equal",
});
const Toleration = rule(Valued, {
  rule: "!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
  message: "counts only with the effect NoExecute: leave it out, or write effect: NoExecute",
  fieldPath: ".tolerationSeconds",
  holds: ({ tolerationSeconds, effect }) => tolerationSeconds === undefined || effect === "NoExecute",
}).meta({ description: "A toleration, as in a pod." });

/** See its description. */
export const Tolerations = z.array(Toleration).max(mostTolerations).meta({
  "x-kubernetes-list-type": "atomic",
  description: "Taints of nodes that do not keep the pods away, as in a pod. Default: none.",
});
