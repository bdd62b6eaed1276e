// What the reconcile knows of a change before it carries it out, scripted.
import { noPolicy } from "../../operator/api/change-policy";
import { parseDatabase } from "../../operator/api/object";
import type { Desired } from "../../operator/domain/desired";
import type { Foreseen } from "../../operator/domain/foreseen";
import { wishOf } from "../../operator/domain/pending";
import type { ChangeSettings, Ports } from "../../operator/domain/ports";
import type { Recalled } from "../../operator/domain/recalled";
import type { StackRecord } from "../../operator/domain/records";
import { judge } from "../../operator/reconcile/judge";
import { argsOf } from "../../operator/stack/program";

/** Of all that children show, as it is by the program. */
const digestOf = (desired: Desired): string => JSON.stringify(argsOf(desired));

type Plan = Extract<Foreseen, { kind: "plan" }>;

interface Asked {
  readonly ports: Ports;
  readonly record: StackRecord | undefined;
}

/** Empty where what is asked for would be refused. */
async function wishFor(object: unknown, { ports, record }: Asked): Promise<string> {
  const parsed = parseDatabase(object);
  const judgement = parsed.ok ? await judge(parsed.database, ports, record?.upgrade) : undefined;
  return judgement?.kind === "accepted" ? wishOf(judgement.desired, digestOf) : "";
}

export class FakeForesight {
  /** `cluster`: where it is asked. */
  constructor(private readonly cluster: () => Asked) {}

  /** What a preview finds. */
  found: Foreseen | Omit<Plan, "wish"> = { kind: "plan", digest: "plan-1", effects: [], primary: undefined };
  /** How often one was asked for. */
  previews = 0;
  /** What the platform says of changes; read at each turn. */
  readonly settings: { -readonly [K in keyof ChangeSettings]: ChangeSettings[K] } = {
    policy: noPolicy,
    releases: noPolicy,
    areApprovalsJudged: true,
    mayAuthorApprove: true,
  };

  /** The members' template as the release declares it that has its turn: what that says of the spec. */
  template: (desired: Desired) => object = () => ({});

  /** What the cluster shows of one whose record was lost. */
  recalled: Recalled | undefined;

  readonly ports: Pick<
    Ports,
    "release" | "memberTemplate" | "foresee" | "changes" | "digest" | "lastRevision" | "recall"
  > = {
    digest: digestOf,
    release: "release-1",
    memberTemplate: (desired) => Promise.resolve(this.template(desired)),
    changes: this.settings,
    lastRevision: () => 0,
    recall: () => Promise.resolve(this.recalled),
    foresee: async (object) => {
      this.previews++;
      if (this.found.kind !== "plan") return this.found;
      return { wish: await wishFor(object, this.cluster()), ...this.found };
    },
  };
}
