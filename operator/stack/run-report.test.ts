import assert from "node:assert/strict";
import test from "node:test";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { RunReport } from "./run-report";
import { summaryOf } from "../domain/runner";

const base = { sequence: 0, timestamp: 0 };
const urn = (type: string, name: string): string =>
  `urn:pulumi:team.shop::databases::databases:index:Database$${type}::${name}`;

function step(op: "create" | "update" | "same" | "delete", type: string): EngineEvent {
  return { ...base, resourcePreEvent: { metadata: { op, urn: urn(type, "shop"), type, provider: "" } } };
}
function diagnostic(message: string, some: { urn?: string; severity?: "error" | "warning" } = {}): EngineEvent {
  const { severity = "error", urn } = some;
  return { ...base, diagnosticEvent: { message, color: "never", severity, ...(urn === undefined ? {} : { urn }) } };
}
function reportOf(events: readonly EngineEvent[], secrets: readonly string[] = []): RunReport {
  const report = new RunReport(secrets);
  for (const event of events) report.accept(event);
  return report;
}

test("changes count the cluster's objects, not the stack, its components or its provider", () => {
  const { changes } = reportOf([
    step("create", "pulumi:pulumi:Stack"),
    step("create", "databases:index:Database"),
    step("create", "pulumi:providers:kubernetes"),
    step("create", "kubernetes:core/v1:Secret"),
    step("update", "kubernetes:apps/v1:StatefulSet"),
    step("same", "kubernetes:core/v1:Service"),
    step("same", "kubernetes:core/v1:ConfigMap"),
  ]);
  assert.equal(summaryOf(changes), "1 created, 1 updated, 2 unchanged");
});

test("the problem is the first error, with the resource it is about", () => {
  const report = reportOf([
    diagnostic("a hint", { severity: "warning" }),
    diagnostic("quota exceeded", { urn: urn("kubernetes:apps/v1:StatefulSet", "shop") }),
    diagnostic("another", { urn: urn("kubernetes:core/v1:Service", "shop") }),
    diagnostic("update failed"),
  ]);
  assert.deepEqual(report.problem("unused"), { message: "quota exceeded", resource: "StatefulSet shop" });
});

test("the engine's closing line is not a cause: the fallback is", () => {
  assert.deepEqual(reportOf([diagnostic("update failed")]).problem("killed"), {
    message: "killed",
    resource: undefined,
  });
});

test("secrets, colors and line breaks are taken out, and a long text is cut to 1024 characters", () => {
  const noisy = "<{%fg 1%}>error<{%reset%}>:\n  password hunter2 refused ";
  const { message } = reportOf([diagnostic(noisy + "x".repeat(2000))], ["hunter2"]).problem("");
  assert.match(message, /^error: password \[secret\] refused x+…$/);
  assert.equal(message.length, 1024);
});

test("a secret in the fallback is taken out too", () => {
  assert.equal(reportOf([], ["hunter2"]).problem("env PASSWORD=hunter2").message, "env PASSWORD=[secret]");
  assert.equal(reportOf([], ["hunter2"]).problem("data: aHVudGVyMg==").message, "data: [secret]");
});
