// A story: tests that build upon each other, about Databases in a namespace of their own.
import { memberResourcesOf } from "../../components/defaults";
import { Engine } from "../../operator/api/spec";
import { database } from "../harness/database";
import type { GroupName } from "../runner/groups";
import { rotating } from "../runner/rotating";
import type { Stage } from "./stage";

export interface Story {
  readonly name: string;
  /** Of its Databases. A story that continues with those of another one has the other's. */
  readonly namespace: string;
  /** Registers its tests and hooks. Hooks and tests find the cluster running and the namespace created. */
  readonly tell: (stage: Stage) => void;
}

export const story = (name: string, tell: (stage: Stage) => void, namespace = name): Story => ({
  ...{ name, namespace, tell },
});

interface Names {
  /** Default: that of the group. */
  readonly name?: string;
  /** Default: the name. */
  readonly namespace?: string;
}

/** A story that belongs to a group of the slow tail, with so many tests. */
export const rotatingStory = (
  group: GroupName,
  tests: number,
  tell: Story["tell"],
  { name = group, namespace = name }: Names = {},
): Story =>
  story(
    name,
    (stage) => {
      rotating(
        group,
        () => {
          tell(stage);
        },
        tests,
      );
    },
    namespace,
  );

/** Little enough that the Databases of all stories find room on the node, whose two cores the default shares out among eight members. */
const cpu = "50m";

/** A Database of a story, to apply. */
export function modestDatabase(
  name: string,
  namespace: string,
  spec: Record<string, unknown> & { readonly engine?: string },
): unknown {
  const { requests, limits } = memberResourcesOf(Engine.parse(spec.engine ?? "postgresql"));
  return database(name, namespace, { resources: { requests: { ...requests, cpu }, limits }, ...spec });
}
