// How the stories of a cluster follow each other: first some at a time, then those that touch what others stand on, each alone.
import { after, before, suite } from "node:test";
import { Stage, type StageOptions } from "./stage";
import type { Story } from "./story";

export interface Acts {
  /** Their tests bear each other: no operator ends, no node is closed, nothing of the whole cluster is changed. */
  readonly sideBySide?: readonly Story[];
  readonly inTurn?: readonly Story[];
}

/** How many stories go side by side: their databases share two cores with the control plane. */
const atATime = 2;

/** Registers the stories of one cluster. It is started for the first of them that has a test to run. */
export function onOneCluster(options: StageOptions, { sideBySide = [], inTurn = [] }: Acts): void {
  const stage = new Stage(options);
  const all = [...sideBySide, ...inTurn];
  const isLast = (story: Story): boolean => all.findLast(({ namespace }) => namespace === story.namespace) === story;
  const register = (story: Story): void => {
    suite(story.name, { concurrency: 1 }, () => {
      before(() => stage.enter(story.namespace));
      story.tell(stage);
      if (isLast(story)) after(() => stage.leave(story.namespace));
    });
  };
  after(() => stage.close());
  suite("side by side", { concurrency: atATime }, () => {
    sideBySide.forEach(register);
  });
  suite("in turn", { concurrency: 1 }, () => {
    inTurn.forEach(register);
  });
}
