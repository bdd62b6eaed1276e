// Which nodes pods go to, by expressions over their labels: a part of the placement, in the form that pods have it.
import { z } from "zod";
import { labelValue } from "./labels";
import { rule } from "./rules";
import { nodeKey } from "./tolerations";

const most = { terms: 5, expressions: 10, values: 20 };
const lists = ["In", "NotIn"];
const numbers = ["Gt", "Lt"];

const Fields = z.object({
  key: nodeKey("Key of the label."),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]).meta({
    description:
      "In, NotIn: the label's value is, or is not, one of the values. Exists, DoesNotExist: the node has, or does not have, the label. Gt, Lt: the value is a number above, or below, the one value.",
  }),
  values: z.array(labelValue()).max(most.values).optional().meta({
    "x-kubernetes-list-type": "atomic",
    description: "The values: one or more with In and NotIn, one number with Gt and Lt, none with the others.",
  }),
});
type Expression = z.output<typeof Fields>;

const hasWhatItNeeds = ({ operator, values = [] }: Expression): boolean => {
  if (lists.includes(operator)) return values.length > 0;
  if (numbers.includes(operator)) return values.length === 1 && /^-?[0-9]{1,18}$/.test(values[0] ?? "");
  return values.length === 0;
};

const Expression = rule(Fields, {
  rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : self.operator in ['Gt', 'Lt'] ? has(self.values) && size(self.values) == 1 && self.values[0].matches(r'^-?[0-9]{1,18}$') : !has(self.values) || size(self.values) == 0",
  message: "must be as the operator needs them: one or more with In and NotIn, one number with Gt and Lt, else none",
  fieldPath: ".values",
  holds: hasWhatItNeeds,
}).meta({ description: "A condition on one label of a node." });

const term = (description: string): z.ZodObject<{ matchExpressions: z.ZodArray<typeof Expression> }> =>
  z
    .object({
      matchExpressions: z
        .array(Expression)
        .min(1)
        .max(most.expressions)
        .meta({ "x-kubernetes-list-type": "atomic", description: "All of them must hold." }),
    })
    .meta({ description });

const Required = z
  .object({
    nodeSelectorTerms: z
      .array(term("A term holds where all of its expressions do."))
      .min(1)
      .max(most.terms)
      .meta({ "x-kubernetes-list-type": "atomic", description: "One of them must hold." }),
  })
  .meta({ description: "What a node must have. Running pods stay where they are." });

const Preferred = z
  .object({
    weight: z.int().min(1).max(100).meta({ description: "How much it counts, from 1 to 100." }),
    preference: term("What a node should have."),
  })
  .meta({ description: "A wish." });

/** See its description. */
export const NodeAffinity = z
  .object({
    requiredDuringSchedulingIgnoredDuringExecution: Required.optional(),
    preferredDuringSchedulingIgnoredDuringExecution: z
      .array(Preferred)
      .max(most.terms)
      .optional()
      .meta({ "x-kubernetes-list-type": "atomic", description: "What nodes should have, where there is a choice." }),
  })
  .meta({ description: "Which nodes the pods go to, by expressions over their labels, as in a pod. Default: any." });
