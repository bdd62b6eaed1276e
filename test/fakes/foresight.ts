// What the reconcile knows of a change before it carries it out, scripted.
import { noPolicy } from "../../operator/api/change-policy";
import type { Desired } from "../../operator/domain/desired";
import type { Foreseen } from "../../operator/domain/foreseen";
import type { ChangeSettings, Ports } from "../../operator/domain/ports";

/** Of all that children show: no child shows a policy. */
const digestOf = ({ spec, ...desired }: Desired): string =>
  JSON.stringify({ ...desired, spec: { ...spec, changePolicy: undefined } });

type Plan = Extract<Foreseen, { kind: "plan" }>;

export class FakeForesight {
  /** What a preview finds. */
  found: Foreseen | Omit<Plan, "wish"> = { kind: "plan", digest: "plan-1", effects: [], primary: undefined };
  /** What was asked for last. */
  #wish = "";
  /** How often one was asked for. */
  previews = 0;
  /** What the platform says of changes; read at each turn. */
  readonly settings: { -readonly [K in keyof ChangeSettings]: ChangeSettings[K] } = {
    policy: noPolicy,
    areApprovalsJudged: true,
    mayAuthorApprove: true,
  };

  readonly ports: Pick<Ports, "release" | "foresee" | "changes" | "digest" | "lastRevision"> = {
    digest: (desired) => (this.#wish = digestOf(desired)),
    release: "release-1",
    changes: this.settings,
    lastRevision: () => 0,
    foresee: () => {
      this.previews++;
      return Promise.resolve(this.found.kind === "plan" ? { wish: this.#wish, ...this.found } : this.found);
    },
  };
}
