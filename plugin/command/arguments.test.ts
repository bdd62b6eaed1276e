import assert from "node:assert/strict";
import test from "node:test";
import { runPlugin } from "../../test/fakes/plugin/world";
import { verbs } from "../verbs";
import { parseArguments } from "./arguments";
import type { Asked } from "./asked";

const asked = (line: string): Asked => {
  const [name = "", ...args] = line.split(" ");
  const verb = verbs.find((one) => one.name === name);
  assert.ok(verb, name);
  return parseArguments(verb, args);
};

test("flags stand before and behind the name, in each of their forms", () => {
  const { name, namespace, output, reach } = asked(
    "status -n shop orders -ojson --context=home --as jane --as-group a --as-group b",
  );
  assert.deepEqual([name, namespace, output], ["orders", "shop", "json"]);
  assert.deepEqual(reach, { kubeconfig: undefined, context: "home", as: "jane", groups: ["a", "b"] });
});

test("flags are taken in the forms that kubectl takes", () => {
  const one = asked("status -n=shop -o=json orders --watch=true --no-headers=false");
  assert.deepEqual(
    [one.namespace, one.output, one.name, one.watch, one.headers],
    ["shop", "json", "orders", true, true],
  );
  assert.deepEqual([asked("status -A=true").allNamespaces, asked("status -A=false").allNamespaces], [true, false]);
});

test("a name may have its type, as -o name prints it, and an empty namespace is none", () => {
  for (const written of ["orders", "database/orders", "databases/orders", "db/orders", "database.example.com/orders"])
    assert.equal(asked(`wait ${written}`).name, "orders");
  assert.equal(asked("status --namespace=").namespace, undefined);
});

test("a name that is empty is not taken for none", async () => {
  for (const args of [
    ["wait", "", "--for=deleted"],
    ["status", ""],
  ]) {
    const { code, err } = await runPlugin(args);
    assert.match(err, /^error: the name of a Database is empty: is a variable not set\?\n/);
    assert.equal(code, 2);
  }
});

const wrong: readonly (readonly [line: string, words: RegExp])[] = [
  ["stats", /^error: there is no verb "stats"\n {2}did you mean status\?/],
  [
    "frobnicate",
    /there are status, preview, fleet, why, history, rollback, backups, backup, approve, reject, pause, resume, wait, report/,
  ],
  ["-n shop status", /flags come behind a verb: -n/],
  ["status --namespce shop", /^error: Unknown option '--namespce'\n {2}did you mean --namespace\?/],
  ["status a b", /status does not take "b"/],
  ["preview orders", /preview does not take "orders"/],
  ["why", /why needs a name/],
  ["status -o xml", /--output is xml: write wide, json, yaml, name/],
  ["wait orders -o json", /Unknown option '-o'/],
  ["status --color=blue", /--color is blue: write auto, always, never/],
  ["status --watch=maybe", /'-w, --watch' does not take an argument/],
  ["status pods/orders", /"pods\/orders" is no name of a Database/],
  ["status ../orders", /is no name of a Database/],
  ["status -n Shop", /"Shop" is no name of a namespace/],
  ["status orders -A", /a name is of one namespace/],
  ["status --as-group admins", /--as-group needs --as/],
  ["wait orders --timeout=soon", /--timeout is soon: write for example 90s/],
  ["wait orders --for=lunch", /--for is lunch: write ready or deleted/],
  ["preview", /name a file: -f orders\.yaml/],
  ["help frobnicate", /there is no verb "frobnicate"/],
];
for (const [line, words] of wrong) {
  test(`\`${line}\` is an error that says what to write`, async () => {
    const { code, out, err } = await runPlugin(line);
    assert.match(err, words);
    assert.deepEqual([code, out], [2, ""]);
  });
}

test("help names every verb, and help of a verb its flags and forms", async () => {
  const { code, out } = await runPlugin("--help");
  assert.equal(code, 0);
  for (const { name, flags, formats } of verbs) {
    assert.match(out, new RegExp(`^ {2}${name} `, "m"));
    const help = await runPlugin(`${name} --help`);
    assert.equal(help.code, 0);
    for (const flag of [...flags, "help"]) assert.match(help.out, new RegExp(`--${flag}\\b`));
    for (const format of formats) assert.match(help.out, new RegExp(`--output.*\\b${format}\\b`));
    assert.equal((await runPlugin(`help ${name}`)).out, help.out);
  }
});

test("with --help nothing else needs to be right", async () => {
  const { code, out } = await runPlugin("status --help -o xml");
  assert.equal(code, 0);
  assert.match(out, /^Usage: /);
});
