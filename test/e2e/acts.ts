// The stories of one cluster, one after the other; what happens at the same time happens in other clusters.
import { after, before, suite } from "node:test";
import { Stage, type StageOptions } from "./stage";
import type { Story } from "./story";

/** Registers them in their order. The cluster is started for the first of them that has a test to run. */
export function onOneCluster(options: StageOptions, stories: readonly Story[]): void {
  const stage = new Stage(options);
  const isLast = (story: Story): boolean =>
    stories.findLast(({ namespace }) => namespace === story.namespace) === story;
  after(() => stage.close());
  for (const story of stories) {
    suite(story.name, { concurrency: 1 }, () => {
      before(() => stage.enter(story.namespace));
      story.tell(stage);
      if (isLast(story)) after(() => stage.leave(story.namespace));
    });
  }
}
