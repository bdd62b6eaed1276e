// Which TLS a Database began with, and which its members have, before anything of it is on record, and where that is lost.
import { credentialsSecretName, tlsSecretName } from "../../components/naming";
import { factsOf } from "../../contract/engines";
import { peerVariables, type ServerTls } from "../../contract/tls";
import { memberTemplateIn } from "../checkpoint/checkpoint";
import { namedIn } from "../checkpoint/named";
import type { Children } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { World } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import type { TlsRecord } from "../domain/tls";
import { isRecord } from "../objects/json";

/** What a Database has where it says nothing: a new one all of it, and one that is older than the field nothing, so that its members stay. */
const forNew: ServerTls = "Require";
const forOlder: ServerTls = "Off";
/** Of members with a certificate of which no more is known: from there to any other mode it is one step. */
const unknown: ServerTls = "Prefer";

type Known = Pick<StackRecord, "tls" | "history" | "checkpoint" | "whole">;

interface At {
  readonly children: Pick<Children, "existing">;
  readonly world: Pick<World, "catalogue">;
}

/**
 * What is on record of it. Where nothing is, as of a release that did not know TLS or a record that is lost, what is in the cluster tells: of one
 * that had members there are credentials, and of one with TLS a certificate. Members that there are get nothing that takes two steps.
 */
export async function tlsBefore(
  key: Key,
  { owner: { name }, spec }: Desired,
  record: Known | undefined,
  { children, world }: At,
): Promise<TlsRecord> {
  if (!factsOf(spec.engine).canHaveTls) return { began: forOlder };
  if (record?.tls !== undefined) return record.tls;
  const [credentials, certificate] = [`Secret ${credentialsSecretName(name)}`, `Secret ${tlsSecretName(name)}`];
  const found = new Set(await children.existing(key, [credentials, certificate]));
  const { present, hasRun } = shownBy(record, name);
  if (found.has(certificate) || isOn(present)) return { began: forNew, ...everywhere(present ?? unknown) };
  if (found.has(credentials) || hasRun) return { began: forOlder, ...everywhere(forOlder) };
  return { began: isLimited(spec, world) ? "Off" : forNew };
}

/** Which TLS members have by their template, and whether there were any. */
function shownBy(
  record: Known | undefined,
  name: string,
): { readonly present: ServerTls | undefined; readonly hasRun: boolean } {
  if (record === undefined) return { present: undefined, hasRun: false };
  const present = membersMode(templateOf(record), name);
  return { present, hasRun: present !== undefined || record.history.length > 0 };
}

const isOn = (mode: ServerTls | undefined): boolean => mode !== undefined && mode !== "Off";

/** Whether what is in the image knows no TLS, by the catalogue. */
const isLimited = ({ engine, version }: Desired["spec"], { catalogue }: At["world"]): boolean =>
  catalogue[engine]?.[version]?.limits?.tls === false;

const everywhere = (mode: ServerTls): Pick<TlsRecord, "declared" | "reached"> => ({ declared: mode, reached: mode });

const templateOf = ({ checkpoint, whole }: Known): unknown =>
  checkpoint === undefined ? whole?.template : memberTemplateIn(checkpoint.text());

/** Which TLS members of this template have; undefined where there is none. */
export function membersMode(template: unknown, name: string): ServerTls | undefined {
  if (!isRecord(template)) return undefined;
  if (!namedIn(template).has(`Secret ${tlsSecretName(name)}`)) return "Off";
  return hasVariable(template, peerVariables.mode) ? "Require" : "Prefer";
}

/** Whether any container is given a variable of that name. */
function hasVariable(template: unknown, name: string): boolean {
  if (Array.isArray(template)) return template.some((item: unknown) => hasVariable(item, name));
  if (!isRecord(template)) return false;
  return template["name"] === name || Object.values(template).some((value) => hasVariable(value, name));
}
