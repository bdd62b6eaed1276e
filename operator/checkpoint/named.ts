// What the pods of a template cannot start without: objects that it names.
import type { ChildName } from "../domain/children";
import { isRecord } from "../objects/json";

/** By the field that names one: its kind, and the field of the name within that, where it is an object. */
const references: Readonly<Record<string, readonly [kind: string, name?: string]>> = {
  configMap: ["ConfigMap", "name"],
  configMapRef: ["ConfigMap", "name"],
  configMapKeyRef: ["ConfigMap", "name"],
  secret: ["Secret", "secretName"],
  secretRef: ["Secret", "name"],
  secretKeyRef: ["Secret", "name"],
  serviceAccountName: ["ServiceAccount"],
};

/** ConfigMaps, Secrets and the ServiceAccount, wherever the template names them. */
export function namedIn(template: unknown): ReadonlySet<ChildName> {
  if (Array.isArray(template)) return new Set(template.flatMap((item: unknown) => [...namedIn(item)]));
  if (!isRecord(template)) return new Set();
  return new Set(
    Object.entries(template).flatMap(([field, value]) => [...referredTo(field, value), ...namedIn(value)]),
  );
}

function referredTo(field: string, value: unknown): readonly ChildName[] {
  const [kind, within] = Object.hasOwn(references, field) ? (references[field] ?? []) : [];
  if (kind === undefined) return [];
  // projected volumes name Secrets as variables do
  const name = within !== undefined && isRecord(value) ? (value[within] ?? value["name"]) : value;
  return typeof name === "string" ? [`${kind} ${name}`] : [];
}
