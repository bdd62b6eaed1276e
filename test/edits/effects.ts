// What a change does beside restarts and switchovers: what a preview says, held against members that come and go, and against objects. Pure.
import { archiveName, backupCronJobName, configMapName, tlsSecretName } from "../../components/naming";
import type { Effect } from "../../contract/effects";
import type { Plan } from "../../operator/preview/plan";
import type { ObjectChange } from "./objects";

/** What became of a Database by one edit. */
export interface Seen {
  /** The Database's name. */
  readonly name: string;
  readonly objects: readonly ObjectChange[];
  /** With what the second step of a change did: it may show what was told, and need not have been. Default: there was none. */
  readonly withLater?: readonly ObjectChange[];
  /** Names of the members that there were, and that there are. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

type Said = Pick<Plan, "consequences" | "memberNames" | "isHeld" | "asked">;

/** How the two differ, a sentence each. */
export const effectDifferences = (plan: Said, seen: Seen): string[] => [
  ...memberDifferences(plan, seen),
  ...signs.flatMap((sign) => signDifferences(sign, plan, seen)),
];

const happening = ({ consequences }: Said, effect: Effect): Said["consequences"] =>
  consequences.filter((one) => one.effect === effect && one.waitsFor === undefined);

function memberDifferences(plan: Said, { before, after }: Seen): string[] {
  const wanted = plan.isHeld ? before : plan.memberNames;
  const told = happening(plan, "Removal").flatMap(({ members }) => members);
  const gone = before.filter((member) => !after.includes(member));
  return [...different("the members are", wanted, after), ...different("members that were removed:", told, gone)];
}

function different(what: string, told: readonly string[], seen: readonly string[]): string[] {
  const [said, found] = [told, seen].map((names) => [...names].sort().join(", ") || "none");
  return said === found ? [] : [`${what} ${found}, predicted were ${said}`];
}

/** By what an effect shows among the objects. */
interface Sign {
  readonly effect: Effect;
  readonly shows: (change: ObjectChange, name: string) => boolean;
  /** Where the spec alone shows it. */
  readonly isInSpec?: (plan: Said) => boolean;
}

const settings =
  /^(?:metadata\.annotations\.config|data\.member\.json)\.(?:.*\.)?(?:parameters\.|synchronous_|pg_hba\b)/;
const isChildGone = ({ child, operation }: ObjectChange, ...gone: readonly string[]): boolean =>
  operation === "delete" && gone.includes(child);
/** Connections of replication need TLS no longer, so no others do. */
const isOpened = ({ path, before, after }: ObjectChange["fields"][number]): boolean =>
  /\.pg_hba\.\d+$/.test(path) &&
  /^hostssl replication /.test(String(before)) &&
  /^host replication /.test(String(after));
const isLess = (before: unknown, after: unknown): boolean => Number(after) < Number(before);

const signs: readonly Sign[] = [
  {
    effect: "Reload",
    shows: ({ child, fields }, name) =>
      child === `ConfigMap ${configMapName(name)}` && fields.some(({ path }) => settings.test(path)),
  },
  {
    effect: "Exposure",
    shows: (change, name) =>
      isChildGone(change, `CronJob ${backupCronJobName(name)}`, `Deployment ${archiveName(name)}`) ||
      change.fields.some(
        (field) => isOpened(field) || (field.path.endsWith(".synchronous_mode") && field.after === false),
      ),
    isInSpec: ({ asked }) =>
      asked.some(
        ({ path, after }) =>
          (path === "spec.deletionPolicy" && after === "Delete") || (path === "spec.tls.mode" && after === "Off"),
      ),
  },
  {
    effect: "DataLoss",
    // a certificate is made again
    shows: ({ child, operation, fields }, name) =>
      (/^(PersistentVolumeClaim|Secret) /.test(child) &&
        child !== `Secret ${tlsSecretName(name)}` &&
        (operation === "delete" || operation === "replace")) ||
      fields.some(({ path, before, after }) => path.endsWith(".BACKUP_RETENTION.value") && isLess(before, after)),
  },
];

function signDifferences(
  { effect, shows, isInSpec }: Sign,
  plan: Said,
  { objects, withLater = objects, name }: Seen,
): string[] {
  const isTold = happening(plan, effect).length > 0;
  const shown = objects.filter((change) => shows(change, name)).map(({ child }) => child);
  if (shown.length > 0 && !isTold) return [`${effect} was not predicted, and shows in ${shown.join(", ")}`];
  const isShown = withLater.some((change) => shows(change, name));
  if (!isShown && isTold && isInSpec?.(plan) !== true) return [`${effect} was predicted, and nothing shows it`];
  return [];
}
