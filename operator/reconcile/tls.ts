// Which TLS members get, and what of it is remembered.
import { tlsSecretName } from "../../components/naming";
import { factsOf } from "../../contract/engines";
import type { DatabaseStatus } from "../api/status";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { Observation } from "../domain/members";
import { due, waiting, type Outcome } from "../domain/outcome";
import type { Issued, Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { modeOf, nextMode, wantedMode, type TlsRecord } from "../domain/tls";
import { isOutdated } from "../rollout/next-step";

/** With the mode that members get now. */
export function withTls(desired: Desired, before: TlsRecord): Desired {
  if (!factsOf(desired.spec.engine).canHaveTls) return desired;
  return { ...desired, tls: nextMode(wantedMode(desired, before), before) };
}

/** What is to be remembered before a run: what nothing else tells later. */
export const begunWith = ({ spec: { engine } }: Desired, before: TlsRecord): Pick<StackRecord, "tls"> =>
  factsOf(engine).canHaveTls ? { tls: before } : {};

/** What is to be remembered after a run, be it that it failed. */
export function tlsAfter({ tls }: Pick<StackRecord, "tls">, desired: Desired): Pick<StackRecord, "tls"> {
  if (tls === undefined) return {};
  const declared = modeOf(desired);
  return { tls: { ...tls, declared, reached: tls.reached ?? tls.declared ?? declared } };
}

/** The same, of one that published at that time what was issued: before, members have what was issued earlier. */
export function withIssued(
  { tls }: Pick<StackRecord, "tls">,
  issued: Issued | undefined,
  { asked, at }: { readonly asked: Date; readonly at: Date },
): Pick<StackRecord, "tls"> {
  if (tls === undefined) return {};
  if (issued === undefined) return { tls: { ...tls, issued: undefined, published: undefined } };
  const { issuance, fingerprints } = issued;
  // what counts from when it is published counts from now on
  const due = new Date(Date.parse(issuance.due) + at.getTime() - asked.getTime()).toISOString();
  const published = fingerprints.map((one) => [one, earlier(tls.published?.[one], at.toISOString())] as const);
  return { tls: { ...tls, issued: { ...issuance, due }, published: Object.fromEntries(published) } };
}

/** A time in the future is by a clock that was wrong. */
const earlier = (before: string | undefined, now: string): string =>
  before === undefined || before > now ? now : before;

/** How soon the next step follows, in milliseconds: whatever keeps it back must not take all of a core. */
const nextStepMs = 1000;

/** Once all members have what was declared: that is remembered, and where more is asked for, the next step follows. */
export async function tlsStep(
  key: Key,
  record: StackRecord,
  desired: Desired,
  { at, looksOnly }: { readonly at: Pick<Ports, "world" | "records" | "children">; readonly looksOnly: boolean },
): Promise<Outcome | undefined> {
  const { tls } = record;
  if (tls?.declared === undefined || !isEverywhere(at.world.observe(key), record)) return undefined;
  if (tls.reached !== tls.declared) {
    if (looksOnly) return due();
    // should the record be lost, it would say that members have it. Clients may mount what they trust still
    if (tls.declared === "Off") await at.children.remove(key, [`Secret ${tlsSecretName(desired.owner.name)}`]);
    await at.records.save(key, { ...record, tls: { ...tls, reached: tls.declared } });
  }
  const wanted = wantedMode(desired, tls);
  return wanted === tls.declared
    ? undefined
    : waiting("Restarting", `all members have TLS by the mode ${tls.declared}; ${wanted} is next`, nextStepMs);
}

/** Whether each member was created from the template that the last run left. */
function isEverywhere({ workload, members }: Observation, { workload: applied }: StackRecord): boolean {
  if (workload === undefined || workload.revision === "" || isOutdated({ applied }, workload)) return false;
  return members.length === workload.wanted && members.every(({ revision }) => revision === workload.revision);
}

/** What the status says of it; nothing where there is none. `members`: one may show a certificate that is older than the last one. */
export function tlsStatus(tls: TlsRecord | undefined, members: Observation["members"]): DatabaseStatus["tls"] {
  if (tls?.declared === undefined) return undefined;
  const { declared: mode, reached, issued } = tls;
  if (mode === "Off" || issued === undefined) return undefined;
  const shown = members.flatMap(({ certificate, terminating }) => (terminating || !certificate ? [] : [certificate]));
  const [first = issued.certificateUntil] = [issued.certificateUntil, ...shown.map(({ until }) => until)].sort();
  return {
    ...{ mode, allMembers: reached === mode },
    ...{ certificateExpires: first, authorityExpires: issued.authorityUntil },
  };
}
