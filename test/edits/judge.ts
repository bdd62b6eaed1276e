// Judges what became of a Database's members between two moments: against what was predicted, and against what must never be. Pure.
import { roles } from "../../components/naming";
import type { Sighting } from "./pod-history";
import type { Prediction, Restarts } from "./prediction";

/** From one moment at which nothing was in progress to the next. */
export interface Stretch {
  /** In milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Of `name-0` and so on, how many were wanted throughout. */
  readonly lasting: number;
  /** For each edit that was made one after the other what the preview said before the first of them: of it, of it and the second, and so on. */
  readonly predictions: readonly Prediction[];
  /** How long there may be no primary that serves, in milliseconds. */
  readonly mostWithoutPrimary: number;
}

/** What is wrong, a sentence each. `sightings`: of one Database, in the order in which they came. */
export function problemsIn(sightings: readonly Sighting[], stretch: Stretch): string[] {
  const course = courseOf(sightings, stretch);
  return [
    ...restartProblems(course, stretch),
    ...orderProblems(course, stretch),
    ...switchoverProblems(course, stretch),
    ...awayProblems(course, stretch),
    ...primaryProblems(course, stretch),
  ];
}

/** The pods at a moment, by UID. */
type Pods = ReadonlyMap<string, Sighting>;

interface Moment {
  readonly at: number;
  readonly pods: Pods;
}

/** The state at the beginning, and after each sighting. */
type Course = readonly Moment[];

function courseOf(sightings: readonly Sighting[], { from, to }: Stretch): Course {
  let pods: Pods = new Map();
  for (const sighting of sightings) if (sighting.at <= from) pods = withSighting(pods, sighting);
  const course: Moment[] = [{ at: from, pods }];
  for (const sighting of sightings) {
    if (sighting.at <= from || sighting.at > to) continue;
    pods = withSighting(pods, sighting);
    course.push({ at: sighting.at, pods });
  }
  return course;
}

function withSighting(pods: Pods, sighting: Sighting): Pods {
  const next = new Map(pods);
  if (sighting.isGone) next.delete(sighting.uid);
  else next.set(sighting.uid, sighting);
  return next;
}

const serves = ({ isReady, isEnding }: Sighting): boolean => isReady && !isEnding;
const ordinalOf = ({ name }: Sighting): number => Number(name.slice(name.lastIndexOf("-") + 1));
const among = (pods: Pods, lasting: number): Sighting[] => [...pods.values()].filter((pod) => ordinalOf(pod) < lasting);

/**
 * Members that were restarted, in the order in which they came again: a pod with another UID under the name, on a node. One that comes
 * meanwhile, and is deleted before a node has it, never ran; one that waits at the beginning counts, as it has what members had before.
 */
function restartsIn(course: Course, { lasting }: Stretch): string[] {
  const known = new Map(among(course[0]?.pods ?? new Map(), lasting).map(({ name, uid }) => [name, uid]));
  const restarted: string[] = [];
  for (const { pods } of course) {
    for (const { name, uid, isScheduled } of among(pods, lasting)) {
      if (!isScheduled) continue;
      if (known.has(name) && known.get(name) !== uid) restarted.push(name);
      known.set(name, uid);
    }
  }
  return restarted;
}

/** How often a member may have been restarted. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

const isRestart = ({ kind }: Restarts): boolean => kind === "these" || kind === "all";

function boundsOf(name: string, predictions: readonly Prediction[]): Bounds {
  const isMeant = ({ restarts }: Prediction): boolean =>
    restarts.kind === "these" ? restarts.members.includes(name) : isRestart(restarts);
  const roundsOf = (one: Prediction): number => Number(isMeant(one)) + Number(one.again === true);
  const [last, ...former] = [...predictions].reverse();
  const begun = former.map(roundsOf).reduce((sum, rounds) => sum + rounds, 0);
  if (last === undefined) return { least: 0, most: 0 };
  const meant = roundsOf(last);
  if (meant > 0) return { least: meant, most: meant + begun };
  // what was begun is taken back, unless there is no room for that
  return { least: 0, most: last.restarts.kind === "none" ? 2 * begun : begun };
}

function restartProblems(course: Course, stretch: Stretch): string[] {
  const restarted = restartsIn(course, stretch);
  const names = new Set(course.flatMap(({ pods }) => among(pods, stretch.lasting).map(({ name }) => name)));
  return [...names].sort().flatMap((name) => {
    const count = restarted.filter((one) => one === name).length;
    const { least, most } = boundsOf(name, stretch.predictions);
    if (count >= least && count <= most) return [];
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    return [`${name} was restarted ${count} times, predicted were ${wanted}`];
  });
}

function orderProblems(course: Course, stretch: Stretch): string[] {
  const [only, ...more] = stretch.predictions;
  if (only?.restarts.kind !== "these" || only.again === true || more.length > 0) return [];
  const [restarted, predicted] = [restartsIn(course, stretch), only.restarts.members];
  const isSame = restarted.join() === predicted.join() || [...restarted].sort().join() !== [...predicted].sort().join();
  return isSame
    ? []
    : [`members were restarted in the order ${restarted.join(", ")}, predicted was ${predicted.join(", ")}`];
}

const primaryIn = ({ pods }: Moment): string | undefined =>
  [...pods.values()].find((pod) => serves(pod) && pod.role === roles.primary)?.name;

function switchoverProblems(course: Course, { predictions }: Stretch): string[] {
  const [first, last] = [course[0], course.at(-1)].map((moment) => moment && primaryIn(moment));
  const [only, ...more] = predictions;
  if (first === undefined || last === undefined || only === undefined) return [];
  const isMoved = first !== last;
  // after two rounds it may be the first one again
  if (predictions.some(({ again }) => again === true)) return [];
  const said = predictions.map(({ switchover }) => switchover);
  const isWrong = more.length === 0 ? isMoved !== only.switchover : isMoved && !said.includes(true);
  if (!isWrong) return [];
  return [
    isMoved
      ? `primary was ${first} and is ${last}, which was not predicted`
      : `${first} is still primary, though another member was to take over`,
  ];
}

function awayProblems(course: Course, { lasting }: Stretch): string[] {
  const served = new Set<string>();
  const found = new Set<string>();
  for (const { pods } of course) {
    const serving = new Set(
      among(pods, lasting)
        .filter(serves)
        .map(({ name }) => name),
    );
    for (const name of serving) served.add(name);
    const away = [...served].filter((name) => !serving.has(name)).sort();
    if (away.length > 1) found.add(`${away.join(" and ")} were down at the same time`);
  }
  return [...found];
}

function primaryProblems(course: Course, { to, mostWithoutPrimary }: Stretch): string[] {
  let since: number | undefined;
  let longest = 0;
  for (const moment of course) {
    const isThere = primaryIn(moment) !== undefined;
    if (since !== undefined) longest = Math.max(longest, moment.at - since);
    since = isThere ? undefined : (since ?? moment.at);
  }
  if (since !== undefined) longest = Math.max(longest, to - since);
  return longest > mostWithoutPrimary
    ? [`for ${longest} ms no member was primary, at most ${mostWithoutPrimary} were expected`]
    : [];
}
