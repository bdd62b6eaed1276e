// How clients reach the members: a part of the spec.
import { z } from "zod";
import { matches } from "./fields";
import { annotations, podLabels } from "./labels";
import { rule } from "./rules";

const BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const RANGE = new RegExp(
  `^((${BYTE}\\.){3}${BYTE}/(3[0-2]|[12]?[0-9])|[0-9a-fA-F:]{2,39}/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$`,
);
const mostRanges = 32;

const isRange = (text: string): boolean => [z.cidrv4(), z.cidrv6()].some((form) => form.safeParse(text).success);

const Range = rule(z.string().max(43), {
  rule: matches("self", RANGE),
  message: "must be a range of addresses, for example 203.0.113.0/24 or 2001:db8::/32",
  holds: (text) => RANGE.test(text),
})
  .refine((text) => !RANGE.test(text) || isRange(text), {
    message: "is no range of addresses: write one such as 2001:db8::/32",
  })
  .meta({ description: "A range of addresses." });

const Fields = z.object({
  type: z.enum(["ClusterIP", "LoadBalancer"]).default("ClusterIP").meta({
    description:
      "ClusterIP: an address inside the cluster. LoadBalancer: one outside of it as well, which the cluster's cloud or load balancer gives, and which only addresses of loadBalancerSourceRanges reach.",
  }),
  loadBalancerSourceRanges: z.array(Range).max(mostRanges).optional().meta({
    "x-kubernetes-list-type": "atomic",
    description:
      "With the type LoadBalancer, and needed there: from which addresses clients may connect. They count at the load balancer, where it can, and in the NetworkPolicy of the members. 0.0.0.0/0 is everyone.",
  }),
  labels: podLabels().optional().meta({ description: "Labels of the Service beside those of the operator." }),
  annotations: annotations().optional().meta({
    description: "Annotations of the Service, for example for external-dns or the cloud's load balancer.",
  }),
});
type ClientService = z.output<typeof Fields>;

const ClientService = rule(Fields, {
  rule: "(self.type == 'LoadBalancer') == (has(self.loadBalancerSourceRanges) && size(self.loadBalancerSourceRanges) > 0)",
  message:
    "goes with the type LoadBalancer, which needs it: write the ranges of your clients (0.0.0.0/0 is everyone), or leave both out",
  fieldPath: ".loadBalancerSourceRanges",
  holds: ({ type, loadBalancerSourceRanges = [] }: ClientService) =>
    (type === "LoadBalancer") === loadBalancerSourceRanges.length > 0,
});

/** See its description. */
export const Services = z
  .object({
    readWrite: ClientService.optional().meta({ description: "The Service <name>, which leads to the primary." }),
    readOnly: ClientService.optional().meta({ description: "The Service <name>-ro, which leads to the replicas." }),
    any: ClientService.optional().meta({ description: "The Service <name>-any, which leads to all ready members." }),
  })
  .meta({ description: "The Services for clients. Changing them restarts nothing." });
