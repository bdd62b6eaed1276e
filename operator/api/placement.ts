// Where the pods of a Database run, and what they carry: a part of the spec.
import { z } from "zod";
import { antiAffinityDefaults } from "../../contract/defaults";
import { nameOf } from "./fields";
import { annotations, keyed, labelValue, podLabels } from "./labels";
import { NodeAffinity } from "./node-affinity";
import { rule } from "./rules";
import { nodeKey, Tolerations } from "./tolerations";

const mostPullSecrets = 10;

const AntiAffinity = z
  .object({
    type: z.enum(["Preferred", "Required"]).default(antiAffinityDefaults.type).meta({
      description:
        "Preferred: members share a node rather than not run. Required: no two members are in the same place, and a member for which there is none waits.",
    }),
    topologyKey: nodeKey(
      "Label of nodes that says what a place is: kubernetes.io/hostname for nodes, topology.kubernetes.io/zone for zones, or another one.",
    ).default(antiAffinityDefaults.topologyKey),
  })
  .meta({
    description: "How members keep apart. Default: Preferred, rather another node than another zone.",
  });

/** Not those of the system: their pods push any other from its node. */
const PriorityClass = rule(nameOf("a PriorityClass", "important"), {
  rule: "!self.startsWith('system-')",
  message: "must be none of the system's PriorityClasses (system-…): write one of your platform, for example important",
  holds: (name) => !name.startsWith("system-"),
});

/** See its description. */
export const Placement = z
  .object({
    nodeSelector: keyed(labelValue()).optional().meta({
      description: "Labels that a node must have, as in a pod. Default: none.",
    }),
    tolerations: Tolerations.optional(),
    nodeAffinity: NodeAffinity.optional(),
    antiAffinity: AntiAffinity.optional(),
    priorityClassName: PriorityClass.optional().meta({
      description:
        "PriorityClass of the pods. It must exist, and be none of the system's. Default: the cluster's default class.",
    }),
  })
  .meta({
    description:
      "Which nodes the pods run on. It counts for members and for Jobs, as both use volumes of the Database; antiAffinity counts for members. Changing it restarts the members, one after the other, and none before a node could take it.",
  });

/** See its description. */
export const PodMetadata = z
  .object({
    labels: podLabels().optional().meta({ description: "Labels of the pods beside those of the operator." }),
    annotations: annotations().optional().meta({ description: "Annotations of the pods." }),
  })
  .meta({
    description:
      "What the pods of members and Jobs carry, for example for a service mesh. Changing it restarts the members, one after the other: what looks at labels and annotations mostly does so when a pod is created.",
  });

const PullSecret = z
  .object({
    name: nameOf("a Secret", "registry").meta({
      description: "Name of the Secret, in the namespace of the Database.",
    }),
  })
  .meta({ description: "A Secret." });

/** See its description. A pod has them by name: the API server refuses one that has a name twice. */
export const ImagePullSecrets = rule(z.array(PullSecret).max(mostPullSecrets), {
  rule: "self.all(one, self.exists_one(other, other.name == one.name))",
  message: "must name each Secret once",
  holds: (secrets) => new Set(secrets.map(({ name }) => name)).size === secrets.length,
}).meta({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  description:
    "Secrets of type kubernetes.io/dockerconfigjson with which the images of all pods are pulled. Another name restarts the members; other content does not. Default: none.",
});
