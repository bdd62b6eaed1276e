// Conditions are well formed in every version of a Database that a watch shows, not only in the last one.
import { isReason } from "../../../operator/api/reasons";
import { CONDITION_TYPES } from "../../../operator/api/status";
import { keyOf, type ConditionView, type DatabaseView, type Invariant, type WatchedDatabase } from "./snapshot";

export const conditions: Invariant = {
  name: "conditions",
  promise: "conditions are well formed in every version of a Database, and change only as they may",
  judge: ({ watched, databases }) => {
    const seen =
      watched ?? databases.map((database): WatchedDatabase => ({ at: 0, deleted: false, first: true, database }));
    return [...new Set([...histories(seen)].flatMap(judgeHistory))];
  },
};

/** Versions of each object in the order in which they came, by uid. */
function histories(watched: readonly WatchedDatabase[]): Iterable<readonly WatchedDatabase[]> {
  const byUid = new Map<string, WatchedDatabase[]>();
  for (const event of watched) {
    const events = byUid.get(event.database.uid);
    if (events === undefined) byUid.set(event.database.uid, [event]);
    else events.push(event);
  }
  return byUid.values();
}

function judgeHistory(events: readonly WatchedDatabase[]): string[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    const problems = [...shapes(event.database), ...(before === undefined ? [] : steps(before.database, event))];
    return problems.map((problem) => `${keyOf(event.database)}: ${problem}`);
  });
}

const required = ["Ready", "Reconciling", "Stalled"];
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const known: ReadonlySet<string> = new Set(CONDITION_TYPES);

function shapes(version: DatabaseView): string[] {
  const types = version.conditions.map(({ type }) => type);
  const problems = types
    .filter((type, index) => types.indexOf(type) !== index)
    .map((type) => `there are two conditions ${type}`);
  if (types.length > 0) {
    problems.push(...required.filter((type) => !types.includes(type)).map((type) => `there is no condition ${type}`));
  }
  if (version.observedGeneration > version.generation) {
    problems.push(`status.observedGeneration ${version.observedGeneration} is ahead of ${version.generation}`);
  }
  return [...problems, ...version.conditions.flatMap((condition) => shape(condition, version.generation))];
}

function shape(condition: ConditionView, generation: number): string[] {
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = condition;
  const rules: readonly (readonly [boolean, string])[] = [
    [known.has(type), "has an unknown type"],
    [["True", "False", "Unknown"].includes(status), `has the status "${status}"`],
    [/^[A-Z][A-Za-z0-9]*$/.test(reason), `has the reason "${reason}", which is not in CamelCase`],
    [isReason(reason), `has the reason ${reason}, which is not in the list`],
    [message.length <= 1024, `has a message of ${message.length} characters`],
    [time.test(lastTransitionTime), `has the transition time "${lastTransitionTime}"`],
    [observedGeneration <= generation, `was judged from generation ${observedGeneration}, ahead of ${generation}`],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => `condition ${type} ${problem}`);
}

function steps(before: DatabaseView, { database: after, first }: WatchedDatabase): string[] {
  const problems = after.conditions.flatMap((condition) => {
    const former = before.conditions.find(({ type }) => type === condition.type);
    return former === undefined ? [] : step(former, condition, first);
  });
  const gone = before.conditions.filter(
    (former) => !after.conditions.some((now) => now.type === former.type) && !mayGo(former, after),
  );
  if (after.observedGeneration < before.observedGeneration) {
    problems.push(`status.observedGeneration went back to ${after.observedGeneration}`);
  }
  return [...problems, ...gone.map(({ type }) => `condition ${type} went away`)];
}

/** Of what not every Database has. */
const optional: ReadonlySet<string> = new Set(["ArchiveReady", "BackupVerified"]);

/** With the spec that asks for what it is about, but not by one that was refused. */
const mayGo = ({ type, observedGeneration }: ConditionView, { generation, conditions: now }: DatabaseView): boolean =>
  optional.has(type) &&
  generation > observedGeneration &&
  now.some((condition) => condition.type === "Stalled" && condition.status === "False");

function step(before: ConditionView, after: ConditionView, isAfterGap: boolean): string[] {
  const problems: string[] = [];
  const isSame = before.status === after.status;
  if (isSame && !isAfterGap && before.lastTransitionTime !== after.lastTransitionTime) {
    problems.push(`condition ${after.type} has another transition time, though it is ${after.status} as before`);
  }
  if (!isSame && after.lastTransitionTime < before.lastTransitionTime) {
    problems.push(`condition ${after.type} changed before its last change`);
  }
  if (after.observedGeneration < before.observedGeneration) {
    problems.push(`condition ${after.type} went back to generation ${after.observedGeneration}`);
  }
  return problems;
}
