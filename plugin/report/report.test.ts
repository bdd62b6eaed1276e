import assert from "node:assert/strict";
import test from "node:test";
import { parse } from "yaml";
import { z } from "zod";
import { fakeCluster, withSpec, type FakeCluster } from "../../test/fakes/plugin/cluster";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";
import { redacted } from "./redacted";

const report = (line: string, fake: Partial<FakeCluster> = {}): Promise<Ended> =>
  runPlugin(`report ${line}`, { cluster: fakeCluster({ objects: everything, ...fake }) });

const Report = z.object({
  kind: z.literal("List"),
  report: z.object({ plugin: z.string(), at: z.string(), notShown: z.array(z.string()) }),
  items: z.array(z.looseObject({ kind: z.string() })),
});

test("a Database comes with what is around it, and with nothing of another one", async () => {
  const { code, out, err } = await report("orders");
  const { report: head, items } = Report.parse(parse(out));
  assert.deepEqual([code, err, head.at, head.notShown], [0, "", "2026-11-27T15:00:00.000Z", []]);
  const kinds = items.map(({ kind }) => kind);
  const counts = Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  );
  assert.deepEqual(counts, { Database: 1, DatabaseBackup: 4, DatabaseRevision: 3, Pod: 3, Event: 3 });
  assert.doesNotMatch(out, /cart|ledger|web-7/);
  const names = await report("orders -o name");
  assert.match(names.out, /^database\.example\.com\/orders\ndatabasebackup\.example\.com\/orders-29401560\n/);
  assert.match(names.out, /\npod\/orders-0\n/);
});

test("what may not be read is named in it, and to the person", async () => {
  const { code, out, err } = await report("orders", { forbidden: ["pods", "events"] });
  const { report: head, items } = Report.parse(parse(out));
  assert.equal(code, 0);
  assert.deepEqual(head.notShown, [
    "pods: you may not list pods in namespace shop",
    "events: you may not list events in namespace shop",
  ]);
  assert.equal(err, head.notShown.map((missing) => `not in it: ${missing}\n`).join(""));
  assert.ok(items.length > 5);
});

test("values that may be secret are left out, and names of Secrets stay", () => {
  const pod = {
    metadata: {
      managedFields: [{ manager: "kubectl" }],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", team: "data" },
    },
    spec: {
      containers: [
        {
          env: [
            { name: "PASSWORD", value: "hunter2" },
            { name: "TOKEN", valueFrom: { secretKeyRef: { name: "orders-credentials", key: "token" } } },
          ],
        },
      ],
    },
    config: { primary_password: "hunter2", work_mem: "8MB" },
    passphrase: "hunter2",
    credentialsSecret: "orders-credentials",
  };
  const text = JSON.stringify(redacted(pod));
  assert.doesNotMatch(text, /hunter2|managedFields|last-applied/);
  assert.deepEqual(redacted(pod), {
    metadata: { annotations: { team: "data" } },
    spec: {
      containers: [
        {
          env: [
            { name: "PASSWORD", value: "[redacted]" },
            { name: "TOKEN", valueFrom: { secretKeyRef: { name: "orders-credentials", key: "token" } } },
          ],
        },
      ],
    },
    config: { primary_password: "[redacted]", work_mem: "8MB" },
    passphrase: "[redacted]",
    credentialsSecret: "orders-credentials",
  });
});

test("a whole report has no value of a variable, whatever a pod carries", async () => {
  const hostile = withSpec(orders, { env: [{ name: "A", value: "hunter2" }] });
  const objects = everything.map((one) => (one === orders ? hostile : one));
  for (const format of ["", " -o json", " -o yaml"])
    assert.doesNotMatch((await report(`orders${format}`, { objects })).out, /hunter2/);
});

test("of what there is not there is no report", async () => {
  const { code, out, err } = await report("ordres");
  assert.match(err, /there is no Database "ordres"/);
  assert.deepEqual([code, out], [2, ""]);
});
