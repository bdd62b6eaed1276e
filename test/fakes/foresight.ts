// What the reconcile knows of a change before it carries it out, scripted.
import { noPolicy } from "../../operator/api/change-policy";
import type { Desired } from "../../operator/domain/desired";
import type { Foreseen } from "../../operator/domain/foreseen";
import { wishOf } from "../../operator/domain/pending";
import type { ChangeSettings, Ports } from "../../operator/domain/ports";

/** Of all that children show: no child shows a policy. */
const digestOf = ({ spec, ...desired }: Desired): string =>
  JSON.stringify({ ...desired, spec: { ...spec, changePolicy: undefined } });

type Plan = Extract<Foreseen, { kind: "plan" }>;

export class FakeForesight {
  /** `judged`: what a Database shall be. */
  constructor(private readonly judged: (object: unknown) => Promise<Desired | undefined>) {}

  /** What a preview finds. */
  found: Foreseen | Omit<Plan, "wish"> = { kind: "plan", digest: "plan-1", effects: [], primary: undefined };
  /** How often one was asked for. */
  previews = 0;
  /** What the platform says of changes; read at each turn. */
  readonly settings: { -readonly [K in keyof ChangeSettings]: ChangeSettings[K] } = {
    policy: noPolicy,
    areApprovalsJudged: true,
    mayAuthorApprove: true,
  };

  readonly ports: Pick<Ports, "release" | "foresee" | "changes" | "digest"> = {
    digest: digestOf,
    release: "release-1",
    changes: this.settings,
    foresee: async (object) => {
      this.previews++;
      if (this.found.kind !== "plan") return this.found;
      const desired = await this.judged(object);
      return { wish: desired === undefined ? "" : wishOf(desired, digestOf), ...this.found };
    },
  };
}
