import assert from "node:assert/strict";
import test from "node:test";
import { harmless } from "../consequences/consequence";
import type { PlannedStep } from "../domain/runner";
import type { Plan, Previewed } from "./plan";
import { colors, plain, render, summaryOf } from "./render";

const step = (object: string, operation: PlannedStep["operation"], some: Partial<PlannedStep> = {}): PlannedStep => {
  const [kind = "", name = ""] = object.split(" ");
  return { kind, name, operation, retained: false, fields: [], ...some };
};
const config = (parameters: Record<string, string>): string => JSON.stringify({ ttl: 20, postgresql: { parameters } });

const change: Plan = {
  kind: "plan",
  database: "team/shop",
  intent: "change",
  asked: [{ path: "spec.replicas", kind: "change", before: 3, after: 5 }],
  notes: ["a note"],
  drift: ["Service shop-ro was edited by kubectl-edit: spec.selector"],
  putBack: new Set(["Service shop-ro"]),
  steps: [
    step("ConfigMap shop-config", "update", {
      fields: [
        {
          path: "metadata.annotations.config",
          kind: "change",
          before: config({ max_connections: "100" }),
          after: config({ max_connections: "200", work_mem: "8MB" }),
        },
      ],
    }),
    step("Job shop-init", "replace", {
      fields: [{ path: "spec.template.spec.containers[init].image", kind: "change", before: "i:1", after: "i:2" }],
    }),
    step("PersistentVolumeClaim data-shop-3", "create"),
    step("PersistentVolumeClaim data-shop-9", "delete", { retained: true }),
    step("PodDisruptionBudget shop", "delete"),
    step("Secret shop-system", "same"),
    step("Service shop-ro", "create"),
    step("StatefulSet shop", "update", {
      fields: [
        { path: "spec.replicas", kind: "change", before: 3, after: 5 },
        {
          path: "spec.template.spec.containers[metrics]",
          kind: "remove",
          before: { args: ["x".repeat(200)] },
          after: undefined,
        },
      ],
    }),
  ],
  harmful: [],
  consequences: [harmless("2 members are added")],
  memberNames: [],
  digest: "",
  primary: undefined,
  isHeld: false,
};

const golden = `Database team/shop: changed
  ! a note

  what you ask for
    spec.replicas  3 → 5

  changed by other clients, and restored
    ! Service shop-ro was edited by kubectl-edit: spec.selector

  what the operator does
    ~ ConfigMap shop-config
        metadata.annotations.config.postgresql.parameters.max_connections
          "100" → "200"
        metadata.annotations.config.postgresql.parameters.work_mem  + "8MB"
    ± Job shop-init, recreated
        spec.template.spec.containers[init].image  "i:1" → "i:2"
    + PersistentVolumeClaim data-shop-3
    - PersistentVolumeClaim data-shop-9, kept in the cluster
    - PodDisruptionBudget shop
    ~ Service shop-ro, restored
    ~ StatefulSet shop
        spec.replicas                           3 → 5
        spec.template.spec.containers[metrics]  - {"args":["${"x".repeat(89)}…

  1 to create, 2 to update, 1 to replace, 1 to delete, 1 unchanged, 1 to restore, 1 kept

  what it means
    - 2 members are added
`;

test("a change is printed object by object and field by field, then summed up and explained", () => {
  assert.equal(render([change], plain), golden);
});

test("on a terminal it says the same, in colors", () => {
  const coloured = render([change], colors);
  assert.notEqual(coloured, golden);
  // eslint-disable-next-line no-control-regex
  assert.equal(coloured.replace(/\x1b\[\d+m/g, ""), golden);
});

test("where nothing would change, nothing else is printed", () => {
  const quiet = { ...change, asked: [], notes: [], drift: [], steps: [step("Secret a", "same")], consequences: [] };
  assert.equal(render([quiet], plain), "Database team/shop: nothing would change\n\n  1 unchanged\n");
});

test("what is said above is not said again as a consequence", () => {
  const claim = step("PersistentVolumeClaim data-shop-0", "replace");
  const consequences = [
    "a note",
    "PersistentVolumeClaim data-shop-0 would be deleted and recreated: do not apply this",
  ];
  const printed = render(
    [{ ...change, steps: [claim], harmful: [claim], consequences: consequences.map(harmless) }],
    plain,
  );
  assert.doesNotMatch(printed, /what it means/);
});

test("a replacement that would cost data gets a loud warning", () => {
  const claim = step("PersistentVolumeClaim data-shop-0", "replace");
  const printed = render([{ ...change, steps: [claim], harmful: [claim] }], plain);
  assert.match(printed, /DATA OR SERVICE WOULD BE LOST\n +! PersistentVolumeClaim data-shop-0 .* do not apply this/);
});

for (const [one, expected] of [
  [{ kind: "skipped", message: "ConfigMap a: not a Database, skipped" }, "ConfigMap a: not a Database, skipped\n"],
  [
    { kind: "rejected", database: "shop", message: "spec.replicas: Invalid value\nand more" },
    "Database shop: refused by the API server\n  spec.replicas: Invalid value\n  and more\n",
  ],
  [
    {
      kind: "stalled",
      database: "team/shop",
      asked: change.asked,
      reason: "VersionUnavailable",
      message: "available: 17.6",
    },
    "Database team/shop: stalled, VersionUnavailable\n\n  what you ask for\n    spec.replicas  3 → 5\n\n  nothing of this would be applied: available: 17.6\n",
  ],
  [
    { kind: "failed", database: "team/shop", message: "no rights\nget some" },
    "Database team/shop: cannot be determined\n  no rights\n  get some\n",
  ],
] as const satisfies readonly (readonly [Previewed, string])[]) {
  test(`what is ${one.kind} is printed as such`, () => {
    assert.equal(render([one], plain), expected);
  });
}

test("sections are set apart by an empty line", () => {
  const skipped: Previewed = { kind: "skipped", message: "a" };
  assert.equal(render([skipped, skipped], plain), "a\n\na\n");
});

test("a summary of nothing", () => {
  assert.equal(summaryOf({ steps: [], putBack: new Set() }), "nothing to do");
});
