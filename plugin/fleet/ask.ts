// What the operator would do to each of many Databases, asked one after the other.
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "../command/world";
import type { Answer } from "../preview/answer";
import { previewed } from "../preview/command";
import type { Sources } from "./sources";

/** As many as the operator works on at a time; of one person it takes three. */
const atOnce = 2;

/** A Database as it would be. */
export interface Asked {
  readonly namespace: string;
  readonly object: unknown;
}

/** What is looked at as if it were so already. */
export type Assumed = Pick<Sources, "catalogue" | "configMaps">;

/** An answer to each, in their order; fewer where previews are not served. */
export async function answersTo(
  databases: readonly Asked[],
  assumed: Assumed,
  cluster: Cluster,
): Promise<readonly Answer[]> {
  const answers = new Map<Asked, Answer>();
  const left = [...databases];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const answer = await answerTo(next, assumed, cluster);
      // where previews are not served, they are for none of the others
      if (answer.kind === "unserved") left.length = 0;
      answers.set(next, answer);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return databases.flatMap((one) => answers.get(one) ?? []);
}

function answerTo({ object, namespace }: Asked, { catalogue, configMaps }: Assumed, cluster: Cluster): Promise<Answer> {
  const own = configMaps.filter((map) => map.namespace === namespace);
  const assume = {
    ...(catalogue !== undefined && { catalogue }),
    ...(own.length > 0 && { configMaps: Object.fromEntries(own.map(({ name, data }) => [name, data])) }),
  };
  return patiently(() => previewed(object, "Apply", { cluster, warnings: [], assume }));
}

/** While others ask for previews, too: how often it is tried again, and after how long. */
const tries = 10;
const pauseMs = 2000;

async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = tries; ; left--) {
    const answer = await ask();
    if (answer.kind !== "refused" || !answer.isBusy || left === 0) return answer;
    await delay(pauseMs);
  }
}
