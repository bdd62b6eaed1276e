// What two runs of one program must agree on: states and events without what chance, time and place decide.
import type { DiagnosticEvent, EngineEvent } from "@pulumi/pulumi/automation";
import { isRecord } from "../../operator/objects/json";

/** Fields whose values differ from run to run, by name. */
const accidental = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "time",
  "created",
  "modified",
  "magic",
  "version",
  "ciphertext",
  "salt",
  "sourcePosition",
  "stackTrace",
  "clusterIP",
  "clusterIPs",
  "healthCheckNodePort",
  "status",
]);

/** A state in which equal runs are equal; `place` is the namespace, which each run has of its own. */
export function maskedState(checkpoint: string, place: string): unknown {
  const text = checkpoint.replaceAll(place, "PLACE").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID");
  return withoutAccidents(JSON.parse(text));
}

/** Sorted, and without fields that differ anyway: resources come in the order in which they happened to be ready. */
function withoutAccidents(value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = value.map(withoutAccidents);
    return elements.every((element) => typeof element === "string" || urnOf(element) !== "")
      ? elements.sort((a, b) => (urnOf(a) < urnOf(b) ? -1 : 1))
      : elements;
  }
  if (!isRecord(value)) return value;
  // the scheduler and the volume controller write to a claim when they get to it
  const isClaim = value["type"] === "kubernetes:core/v1:PersistentVolumeClaim";
  const kept = Object.entries(value).filter(([name]) => !accidental.has(name) && !(isClaim && name === "outputs"));
  const sorted = kept.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, nested]) => [name, withoutAccidents(nested)]));
}

function urnOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) && typeof value["urn"] === "string" ? value["urn"] : "";
}

/** What the CLI reports, and a resident Pulumi keeps to itself: where providers are, and debugging, which holds secrets. */
const isOfTheCli = ({ severity, message }: DiagnosticEvent): boolean =>
  (["debug"] as string[]).includes(severity) || /^using pulumi-resource-\S+ from \$PATH/.test(message);

/** One event as a line; undefined for kinds that only dress a terminal. */
export function eventText({ resourcePreEvent, diagnosticEvent, summaryEvent }: EngineEvent): string | undefined {
  if (resourcePreEvent) return `${resourcePreEvent.metadata.op} ${resourcePreEvent.metadata.urn}`;
  if (diagnosticEvent && diagnosticEvent.ephemeral !== true && !isOfTheCli(diagnosticEvent))
    return `${diagnosticEvent.severity} ${diagnosticEvent.urn ?? ""} ${diagnosticEvent.message.trim()}`;
  return summaryEvent && `summary ${JSON.stringify(Object.entries(summaryEvent.resourceChanges).sort())}`;
}
