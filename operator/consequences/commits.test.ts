import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, configuration, fieldChange, stepOf } from "../../test/fakes/previewed";
import { consequencesOf } from "./table";

const [one, two] = [
  { mode: "quorum" as const, more: {} },
  { mode: "quorum" as const, more: { synchronous_node_count: 2, synchronous_mode_strict: true } },
];
const none = { mode: false, more: {} } as const;
/** With two members. */
const pair = { mode: true, more: {} } as const;

for (const [what, before, after, expected] of [
  ["on three members", none, one, /^a commit waits until a second member has it\nno member restarts$/],
  ["no more", two, none, /^a commit no longer waits for a second member\nno member restarts$/],
  ["with a third member", pair, one, /^a commit waits until any one of the replicas has it\nno member restarts$/],
  ["with two that are left", one, pair, /^a commit waits until the one replica has it\nno member restarts$/],
  [
    "with two that are left of which both were waited for",
    two,
    pair,
    /^a commit waits until the one replica has it\n.* the primary alone\nno member restarts$/,
  ],
  [
    "for two others",
    none,
    two,
    /^a commit waits until 2 other members have it, or.*\n.*, commits wait\nno member restarts$/,
  ],
  [
    "for one again",
    two,
    one,
    /^a commit waits until a second member has it\n.* the primary alone\nno member restarts$/,
  ],
] as const) {
  test(`how commits wait is explained, and restarts no member: ${what}`, () => {
    const [left, right] = [before, after].map(({ mode, more }) => configuration("4MB", mode, more));
    const steps = [
      stepOf("ConfigMap shop-config", "update", [fieldChange("metadata.annotations.config", left, right)]),
    ];
    const told = consequencesOf(steps, circumstances()).map(({ message }) => message);
    assert.match(told.join("\n"), expected);
  });
}
