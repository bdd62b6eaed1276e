// Reads a run's engine events: what changed, and the first error, fit for a status.
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { Changes, Problem } from "../domain/runner";
import { shortened } from "../domain/shortened";
import { isObject, objectOf } from "./steps";

const longestMessage = 1024;

const countOf: Readonly<Record<string, keyof Changes>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  replace: "replaced",
  same: "unchanged",
};

export class RunReport {
  readonly #secrets: readonly string[];
  readonly #counts = { created: 0, updated: 0, deleted: 0, replaced: 0, unchanged: 0 };
  #problem: Problem | undefined;

  /** `secrets` never appear in a problem's message, nor does their base64. */
  constructor(secrets: readonly string[]) {
    const known = secrets.filter((secret) => secret !== "");
    this.#secrets = known.flatMap((secret) => [secret, Buffer.from(secret).toString("base64")]);
  }

  /** Takes one event of the run. */
  accept(event: EngineEvent): void {
    const step = event.resourcePreEvent?.metadata;
    if (step && isObject(step.type)) {
      const what = countOf[step.op];
      if (what !== undefined) this.#counts[what]++;
    }
    const diagnostic = event.diagnosticEvent;
    if (diagnostic?.severity === "error" && !isSummary(diagnostic.message)) {
      this.#problem ??= { message: this.#clean(diagnostic.message), resource: resourceOf(diagnostic.urn) };
    }
  }

  get changes(): Changes {
    return { ...this.#counts };
  }

  /** The first error; `fallback` where the run ended without one. */
  problem(fallback: string): Problem {
    return this.#problem ?? { message: this.#clean(fallback), resource: undefined };
  }

  /** The text without any of the secrets. */
  mask(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, "[secret]"), text);
  }

  #clean(text: string): string {
    const clean = this.mask(text.replace(/<\{%[^%]*%\}>/g, ""))
      .replace(/\s+/g, " ")
      .trim();
    return shortened(clean, longestMessage);
  }
}

/** The engine closes every failed run with a line that names no cause. */
function isSummary(message: string): boolean {
  return /^(update|destroy|preview) failed\s*$/.test(message.trim());
}

/** `StatefulSet my-postgres` from a URN; undefined for the stack itself. */
function resourceOf(urn: string | undefined): string | undefined {
  const { kind, name } = objectOf(urn ?? "");
  return name === "" || kind === "Stack" ? undefined : `${kind} ${name}`;
}
