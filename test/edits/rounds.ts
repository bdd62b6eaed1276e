// Courses of random edits side by side, one for each engine, in a cluster in which an operator runs.
import type { Engine } from "../../operator/api/spec";
import type { Patience } from "../harness/eventually";
import type { PlatformCluster } from "../harness/platform-cluster";
import { Course, type CourseArgs } from "./course";
import type { Grounds } from "./grounds";
import type { PodHistory } from "./pod-history";
import type { Previews } from "./previews";
import type { Wanted } from "./wanted";

export interface RoundArgs {
  readonly platform: Pick<PlatformCluster, "kubectl" | "witness">;
  readonly previews: Previews;
  readonly history: PodHistory;
  readonly wanted: Wanted;
  /** One course for each. The edits are shared out among them. */
  readonly grounds: readonly Grounds[];
  /** ConfigMaps with parameters, by engine and name. */
  readonly tuning: Readonly<Record<Engine, CourseArgs["tuning"]>>;
  readonly mostWithoutPrimary: CourseArgs["mostWithoutPrimary"];
  /** For an edit to be applied. */
  readonly patience: Patience;
}

/** After so many nothing new is learned. */
const maxProblems = 10;

/** As many may well be reported by the same event. */
const fewEdits = 10;

/** The namespace of a course. */
export const namespaceFor = ({ engine }: Pick<Grounds, "engine">): string => `edits-${engine}`;

/** Makes the edits, and returns what was wrong, for people. */
export async function editAtRandom(args: RoundArgs): Promise<string[]> {
  const { grounds, wanted } = args;
  const courses = grounds
    .map((ground, index) => ({ ground, index }))
    .filter(({ ground: { engine } }) => engine === (wanted.engine ?? engine));
  const each = Math.ceil(wanted.edits / courses.length);
  const problems: string[] = [];
  const told = (problem: unknown): void => {
    // a run that is ended early has told what it found
    console.log(String(problem));
    problems.push(String(problem));
  };
  const one = async ({ ground, index }: { readonly ground: Grounds; readonly index: number }): Promise<void> => {
    const { platform, previews, history, tuning, mostWithoutPrimary, patience } = args;
    const course = new Course({
      ...{ kubectl: platform.kubectl, previews, history, grounds: ground, tuning: tuning[ground.engine] },
      ...{ seed: wanted.seed + index, namespace: namespaceFor(ground), mostWithoutPrimary, patience },
    });
    if (each > fewEdits) platform.witness.disregard(namespaceFor(ground), "each of many edits is reported", ["events"]);
    await course.begin();
    while (course.edits < each && problems.length < maxProblems) {
      for (const problem of await course.step()) told(problem);
    }
  };
  await Promise.all(courses.map((course) => one(course).catch(told)));
  return problems;
}
