// Parameters that running servers apply, and what becomes of commits. Pure.
import { configMapName } from "../../components/naming";
import type { FieldChange } from "../domain/runner";
import { stayingMembers, type Facts } from "./circumstances";
import type { Consequence } from "./consequence";
import { expanded } from "./fields";

/** Where Patroni's dynamic configuration is: JSON in an annotation. */
export const dynamic = "metadata.annotations.config";
/** Where agents of the other engines read theirs. */
const ofAgents = 'data["member.json"]';

/** What changes in the members' configuration, under the path `place`. */
export function fieldsIn({ find, name }: Facts, place: string): FieldChange[] {
  const configuration = find("ConfigMap", configMapName(name));
  return configuration?.fields.flatMap(expanded).filter(({ path }) => path.startsWith(place)) ?? [];
}

/** Of the members that stay. */
export const reload = (message: string, at: Facts): Consequence => ({
  effect: "Reload",
  members: stayingMembers(at),
  message,
});

export function parameters(at: Facts): Consequence[] {
  const fields = [dynamic, ofAgents].flatMap((place) => fieldsIn(at, place));
  if (!fields.some(({ path }) => /\.parameters[.[]/.test(path))) return [];
  return [reload("parameters apply within seconds, except those that need a restart", at)];
}

/** Fields that Patroni's configuration leaves out have Patroni's defaults. */
export function commits(at: Facts): Consequence[] {
  const fields = fieldsIn(at, dynamic);
  const find = (name: string): FieldChange | undefined => fields.find(({ path }) => path === `${dynamic}.${name}`);
  return commitTexts(find).map((message) => reload(message, at));
}

function commitTexts(find: (name: string) => FieldChange | undefined): string[] {
  const mode = find("synchronous_mode");
  if (mode?.after === false) return ["a commit no longer waits for a second member"];
  const strict = find("synchronous_mode_strict");
  return [
    ...othersText(find("synchronous_node_count"), mode),
    ...(strict?.after === true ? ["while no other member is available, commits wait"] : []),
    ...(strict?.before === true ? ["while no other member is available, commits continue with the primary alone"] : []),
  ];
}

function othersText(count: FieldChange | undefined, mode: FieldChange | undefined): string[] {
  if (typeof count?.after === "number")
    return [`a commit waits until ${count.after} other members have it, or all that are available`];
  // between two members and more of them
  if (mode?.before === "quorum") return ["a commit waits until the one replica has it"];
  if (mode?.before === true) return ["a commit waits until any one of the replicas has it"];
  return mode !== undefined || count !== undefined ? ["a commit waits until a second member has it"] : [];
}
