// No password and no key is anywhere but in Secrets: not in logs, events, status, annotations, arguments or clear-text state.
import { keyOf, type Invariant, type Snapshot } from "./snapshot";

export const secrets: Invariant = {
  name: "secrets",
  promise: "no password or key is in a log, an event, a status, an annotation, an argument or in clear in a state",
  judge: (snapshot) => {
    const needles = snapshot.canaries.filter((canary) => canary.length >= 8).flatMap(spellings);
    return placesOf(snapshot)
      .filter(({ texts }) => texts.some((text) => needles.some((needle) => text.includes(needle))))
      .map(({ place }) => `a secret is in ${place}`);
  },
};

interface Haystack {
  readonly place: string;
  readonly texts: readonly string[];
}

function placesOf(snapshot: Snapshot): Haystack[] {
  const { operator, watched, databases, events, objects, states } = snapshot;
  const statuses = new Map<string, string[]>();
  for (const database of [...databases, ...(watched ?? []).map((event) => event.database)]) {
    statuses.set(keyOf(database), [...(statuses.get(keyOf(database)) ?? []), database.status]);
  }
  return [
    { place: "the operator's log", texts: operator?.log ?? [] },
    { place: "the arguments of a process", texts: operator?.argv ?? [] },
    ...[...statuses].map(([key, texts]) => ({ place: `the status of ${key}`, texts })),
    ...events.map(({ about, namespace, message }) => ({
      place: `an event of ${about} in ${namespace}`,
      texts: [message],
    })),
    ...objects.map(({ kind, namespace, name, annotations, labels }) => ({
      place: `annotations or labels of ${kind} ${namespace}/${name}`,
      texts: [...Object.values(annotations), ...Object.values(labels)],
    })),
    ...states.map(({ stack, annotations, notes, checkpoint = "" }) => ({
      place: `Secret state.${stack}, in clear`,
      texts: [checkpoint, ...notes, ...Object.values(annotations)],
    })),
  ];
}

/** As it is, as base64 shows it (whatever precedes it), URL-encoded, and as JSON and YAML escape it. */
function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, encodeURIComponent(secret), json, ...base64s(secret)])];
}

/** The part that does not depend on the neighbors, for each of the three offsets. */
function base64s(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    const whole = Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6);
    return text.slice(Math.ceil((offset * 8) / 6), whole);
  });
}
