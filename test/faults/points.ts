// The points of the crash matrix: which write of which stage is struck, how, and which points one session takes.
import { z } from "zod";
import type { Action, Match } from "../harness/fault-proxy";
import type { ApiRequest } from "../harness/fault-proxy/request";
import { stages, type Stage } from "./stages";
import { victims } from "./processes";

/** What is struck: a process, or nothing but the one request. */
export const targets = [...victims, "request"] as const;
export type Target = (typeof targets)[number];

/** Before the API server hears of the write; after it, but before the answer; or with an error for an answer. */
export const moments = ["before", "unanswered", "refused"] as const;
export type Moment = (typeof moments)[number];

export interface Point {
  readonly stage: Stage;
  readonly target: Target;
  readonly moment: Moment;
  /** Which write, from 1: of all of the stage, or of the provider's where CLI or provider are the target. */
  readonly nth: number;
}

/** The points of one chain, each in a stage of its own. */
export type Chain = Partial<Readonly<Record<Stage, Point>>>;

const Parts = z.tuple([z.enum(stages), z.enum(targets), z.enum(moments), z.coerce.number().int().min(1)]);

/** `stage/target/moment/nth`. */
export const textOf = ({ stage, target, moment, nth }: Point): string => `${stage}/${target}/${moment}/${nth}`;

/** The point that `textOf` wrote. Throws where it is none. */
export function pointOf(text: string): Point {
  const [stage, target, moment, nth] = Parts.parse(text.split("/"));
  return { stage, target, moment, nth };
}

/** The writes among which the target's are counted. */
export function writesFor(target: Target): Match {
  return target === "cli" || target === "provider" ? { writes: true, by: "provider" } : { writes: true };
}

/** What the proxy does at the point; `strike` ends the target. */
export function actionAt({ moment }: Point, strike: () => Promise<void>): Action {
  switch (moment) {
    case "before":
      return { kind: "cutBefore", call: strike };
    case "unanswered":
      return { kind: "dropReply", call: strike };
    case "refused":
      return { kind: "refuse", code: 503, reason: "ServiceUnavailable", retryAfterSeconds: 1 };
  }
}

/** All points of a target in each stage, given the writes of an undisturbed run; not in order, as neighbors are alike. */
export function pointsOf(target: Target, writesOf: (stage: Stage) => readonly ApiRequest[]): Point[][] {
  const used = target === "request" ? moments : moments.filter((moment) => moment !== "refused");
  return stages.map((stage) => {
    const counted = writesOf(stage).filter(({ by }) => writesFor(target).by === undefined || by === "provider");
    return shuffled(counted.flatMap((_, index) => used.map((moment) => ({ stage, target, moment, nth: index + 1 }))));
  });
}

/** Chains that hold every point once. */
export function allChains(points: readonly (readonly Point[])[]): Chain[] {
  const longest = Math.max(...points.map((ofStage) => ofStage.length));
  return Array.from({ length: longest }, (_, index) => chainOf(points.map((ofStage) => ofStage[index])));
}

/** The chains of session number `seed`: each session takes the next points, and after the last the first again. */
export function someChains(points: readonly (readonly Point[])[], count: number, seed: number): Chain[] {
  return Array.from({ length: count }, (_, index) =>
    chainOf(points.map((ofStage) => ofStage[(seed * count + index) % ofStage.length])),
  );
}

const chainOf = (points: readonly (Point | undefined)[]): Chain =>
  Object.fromEntries(points.flatMap((point) => (point ? [[point.stage, point]] : [])));

/** The same order every time, which looks like none. */
function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  let random = 1;
  for (let last = mixed.length - 1; last > 0; last--) {
    random = (random * 48271) % 2147483647;
    const other = random % (last + 1);
    const [a, b] = [mixed[last], mixed[other]];
    if (a !== undefined && b !== undefined) [mixed[last], mixed[other]] = [b, a];
  }
  return mixed;
}
