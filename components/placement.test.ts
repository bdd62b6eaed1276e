import assert from "node:assert/strict";
import test from "node:test";
import { archivePodOf } from "./archive";
import type { DatabaseOptions } from "./args";
import { mysql } from "./engines/mysql";
import { postgresql } from "./engines/postgresql";
import { networkPolicyOf } from "./network";
import { placedPod, podMetadataOf, spreadOf } from "./placement";
import { anyMemberServiceOf, headlessServiceOf, readWriteServiceOf } from "./services";
import { settingsOf, type Settings } from "./settings";
import { memberPodOf } from "./workload";

const settingsWith = (wishes: Partial<DatabaseOptions> = {}): Settings =>
  settingsOf("db", { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1", ...wishes });

test("without a word about it every pod stays as it is", () => {
  const pod = memberPodOf(settingsWith(), postgresql);
  for (const wishes of [{}, { placement: {} }, { placement: { nodeSelector: {}, tolerations: [], nodeAffinity: {} } }])
    assert.deepEqual(placedPod(settingsWith(wishes), pod), pod);
  assert.deepEqual(podMetadataOf(settingsWith({ podMetadata: {} }), { labels: { a: "b" } }), { labels: { a: "b" } });
});

test("what a pod has of its own stays beside what is demanded of nodes", () => {
  const settings = settingsWith({
    ...{ engine: "mysql", version: "9.7", backup: { pointInTime: true } },
    placement: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }],
        },
      },
    },
  });
  const archive = archivePodOf(settings, mysql);
  assert.ok(archive);
  const { affinity } = placedPod(settings, archive);
  assert.deepEqual(Object.keys(affinity ?? {}), ["podAffinity", "nodeAffinity"]);
});

test("labels and annotations of the pod's own win", () => {
  const podMetadata = { labels: { app: "mine", team: "data" }, annotations: { note: "mine" } };
  assert.deepEqual(
    podMetadataOf(settingsWith({ podMetadata }), { labels: { app: "database" }, annotations: { x: "y" } }),
    {
      labels: { app: "database", team: "data" },
      annotations: { note: "mine", x: "y" },
    },
  );
});

for (const [type, topologyKey, required, preferred] of [
  ["Preferred", "kubernetes.io/hostname", [], ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]],
  ["Preferred", "rack", [], ["kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"]],
  ["Required", "kubernetes.io/hostname", ["kubernetes.io/hostname"], ["topology.kubernetes.io/zone"]],
  ["Required", "topology.kubernetes.io/zone", ["topology.kubernetes.io/zone"], ["kubernetes.io/hostname"]],
  ["Required", "rack", ["rack"], ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]],
] as const) {
  test(`members keep apart, ${type} by ${topologyKey}`, () => {
    const { podAntiAffinity } = JSON.parse(
      JSON.stringify(spreadOf(settingsWith({ placement: { antiAffinity: { type, topologyKey } } }))),
    ) as {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution?: { topologyKey: string }[];
        preferredDuringSchedulingIgnoredDuringExecution: { podAffinityTerm: { topologyKey: string } }[];
      };
    };
    const { requiredDuringSchedulingIgnoredDuringExecution: must = [] } = podAntiAffinity;
    assert.deepEqual(
      must.map((term) => term.topologyKey),
      required,
    );
    assert.deepEqual(
      podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.map((term) => term.podAffinityTerm.topologyKey),
      preferred,
    );
  });
}

const outside = { type: "LoadBalancer", loadBalancerSourceRanges: ["203.0.113.0/24"] } as const;

test("the policy of the members opens the clients' port, and no other, for the ranges of load balancers", () => {
  const rulesOf = (wishes: Partial<DatabaseOptions>): unknown[] => {
    const { spec } = JSON.parse(JSON.stringify(networkPolicyOf(settingsWith(wishes), postgresql))) as {
      spec: { ingress: { from?: { ipBlock?: unknown }[] }[] };
    };
    return spec.ingress.filter(({ from = [] }) => from.some(({ ipBlock }) => ipBlock !== undefined));
  };
  assert.deepEqual(rulesOf({ services: { readWrite: { type: "ClusterIP" } } }), []);
  assert.deepEqual(rulesOf({ services: { readWrite: outside, any: outside } }), [
    { from: [{ ipBlock: { cidr: "203.0.113.0/24" } }], ports: [{ port: 5432, protocol: "TCP" }] },
  ]);
});

test("a load balancer passes on the addresses of clients; only the Service that says so has one", () => {
  const settings = settingsWith({ services: { readWrite: { ...outside, annotations: { note: "a" } } } });
  const specOf = (service: { spec?: unknown }): { type?: string; externalTrafficPolicy?: string } =>
    (JSON.parse(JSON.stringify(service.spec)) ?? {}) as object;
  const { type, externalTrafficPolicy } = specOf(readWriteServiceOf(settings, postgresql));
  assert.deepEqual([type, externalTrafficPolicy], ["LoadBalancer", "Local"]);
  for (const service of [anyMemberServiceOf(settings, postgresql), headlessServiceOf(settings, postgresql)])
    assert.notEqual(specOf(service).type, "LoadBalancer");
});
