// Who holds a right, each by an account of their own: what comes with it, and what they are refused. SECURITY.md names these tests; one that
// shows what nothing stops is there so that the page is changed with it.
import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { containerSecurity, podSecurity } from "../../../components/pod";
import { approvalKeys, approvalRefusals, approvalVerb } from "../../../contract/approvals";
import { operatorName } from "../../../contract/platform";
import { databaseResource } from "../../../contract/resources";
import { database } from "../../harness/database";
import { eventually } from "../../harness/eventually";
import { readSecret, type Kubectl } from "../../harness/kubectl";
import { may, newPerson, userOf } from "../../harness/people";
import { passwordsIn } from "../../harness/preview";

/** Where they are. */
interface Place {
  /** As cluster-admin. */
  readonly kubectl: () => Kubectl;
  readonly actingAs: (name: string, kubeconfig: string) => Promise<Kubectl>;
  /** A namespace with a Database `orders` of one member. */
  readonly own: string;
  /** One in which they have no right. */
  readonly foreign: string;
  /** The password in the Secret `vault` there. */
  readonly canary: string;
}

const system = "database-operator-system";

const refusal = /forbidden/i;
/** In the words of the API server, which lets no one grant more than they hold. */
const escalation = /attempting to grant RBAC permissions not currently held/;

const Admitted = z.object({
  spec: z.object({
    volumes: z.array(
      z.object({ projected: z.object({ sources: z.array(z.record(z.string(), z.unknown())) }).optional() }),
    ),
  }),
});

async function assertRefused(who: Kubectl, ...requests: readonly (readonly string[])[]): Promise<void> {
  for (const args of requests) await assert.rejects(who(...args), refusal, args.join(" "));
}

export function holdersOfRights({ kubectl, actingAs, own, foreign, canary }: Place): void {
  /** A new one, of another namespace, who has ClusterRoles in the tenants' and nothing else. */
  const holder = async (name: string, ...roles: string[]): Promise<Kubectl> =>
    actingAs(name, await newPerson(kubectl(), { name, namespace: own, roles }));

  /** A new one who may do one thing in the operator's namespace, and nothing else. */
  const holderIn = async (name: string, verbs: string, resource: string): Promise<Kubectl> => {
    const who = await holder(name);
    await kubectl()("create", "role", name, "-n", system, `--verb=${verbs}`, `--resource=${resource}`);
    await kubectl()("create", "rolebinding", name, "-n", system, `--role=${name}`, `--user=${userOf(name)}`);
    return who;
  };

  const merge = ["patch", "database", "orders", "-n", own, "--type=merge", "-p"] as const;
  const approval = ["annotate", "database", "orders", "-n", own, `${approvalKeys.approve}=${"0".repeat(64)}`] as const;

  test("who may view a namespace reads its Databases, their history and their logs, but no password, and writes nothing", async () => {
    const viewer = await holder("viewer", "view");
    const readable = "databases.example.com,databasebackups.example.com,databaserevisions.example.com,configmaps,pods";
    const shown = await eventually(async () => {
      const text = await viewer("get", `${readable},events`, "-n", own, "-o", "json");
      assert.match(text, /"kind": "DatabaseRevision"/);
      return text;
    });
    for (const secret of ["orders-credentials", "orders-system"]) {
      const passwords = passwordsIn(await readSecret(kubectl(), secret, own));
      assert.ok(passwords.length > 0 && passwords.every((password) => !shown.includes(password)), secret);
    }
    assert.ok(await may(viewer, "get", "pods", "--subresource=log", "-n", own));
    for (const verb of ["get", "create"])
      assert.ok(!(await may(viewer, verb, "pods", "--subresource=exec", "-n", own)));
    await assertRefused(
      viewer,
      ["get", "secret", "orders-credentials", "-n", own],
      [...merge, '{"spec":{"replicas":2}}'],
      ["scale", "database", "orders", "-n", own, "--replicas=2"],
      ["delete", "database", "orders", "-n", own, "--wait=false"],
      approval,
      ["get", "databases", "-A"],
      ["get", "databases,configmaps", "-n", foreign],
    );
    await assert.rejects(viewer.apply(database("theirs", own)), refusal);
  });

  test("who administers a namespace gives no right to approve and none of the operator's, and leaves status and history alone", async () => {
    const admin = await holder("admin", "admin");
    const [revision = ""] = await eventually(async () => {
      const text = await admin("get", "databaserevisions.example.com", "-n", own, "-o", "name");
      assert.notEqual(text.trim(), "");
      return text.trim().split("\n");
    });
    const { group, plural } = databaseResource;
    const rules = [{ apiGroups: [group], resources: [plural], verbs: [approvalVerb] }];
    const metadata = { name: "approver", namespace: own };
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules };
    await assert.rejects(admin.apply(role), escalation);
    for (const given of [`${operatorName}-approve`, operatorName, "cluster-admin"]) {
      const binding = ["create", "rolebinding", "given", "-n", own, `--clusterrole=${given}`];
      await assert.rejects(admin(...binding, `--user=${userOf("admin")}`), escalation, given);
    }
    await assert.rejects(admin(...approval), new RegExp(approvalRefusals.noRight));
    await assertRefused(
      admin,
      [...merge, '{"status":{"ready":false}}', "--subresource=status"],
      ["delete", revision, "-n", own, "--wait=false"],
      ["label", revision, "-n", own, "mine=true"],
      ["get", "databases", "-n", foreign],
      ["get", "secrets", "-n", system],
    );
  });

  test("who holds the operator's rights reads every Secret and has pods started anywhere, but deletes no Database and hands on no more", async () => {
    const taker = await holder("taker");
    const bound = [`--clusterrole=${operatorName}`, `--user=${userOf("taker")}`];
    await kubectl()("create", "clusterrolebinding", "taker", ...bound);
    try {
      const taken = await taker("get", "secret", "vault", "-n", foreign, "-o", "jsonpath={.data.password}");
      assert.equal(Buffer.from(taken, "base64").toString(), canary);
      const container = { name: "shell", image: "example.com/shell:1", securityContext: { privileged: true } };
      const spec = { restartPolicy: "Never", serviceAccountName: "any", hostPID: true, containers: [container] };
      const metadata = { name: "taken", namespace: "kube-system" };
      const job = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template: { spec } } };
      assert.match(await taker.input(job, "create", "--dry-run=server", "-f", "-"), /created/);
      await assertRefused(
        taker,
        ["delete", "database", "orders", "-n", own, "--wait=false"],
        ["create", "token", "orders", "-n", own],
        ["run", "shell", "-n", own, "--image=example.com/shell:1"],
        ["create", "rolebinding", "more", "-n", own, "--clusterrole=admin", `--user=${userOf("taker")}`],
        ["create", "clusterrolebinding", "more", "--clusterrole=cluster-admin", `--user=${userOf("taker")}`],
      );
    } finally {
      await kubectl()("delete", "clusterrolebinding", "taker");
    }
  });

  test("who may create pods in the operator's namespace has its account and its records by one, but not the node", async () => {
    const intern = await holderIn("intern", "create", "pods");
    const key = { name: "KEY", valueFrom: { secretKeyRef: { name: `${operatorName}-state-key`, key: "any" } } };
    const container = { name: "shell", image: "example.com/shell:1", securityContext: containerSecurity, env: [key] };
    const created = (more: Record<string, unknown> = {}): Promise<string> => {
      const metadata = { name: "taken", namespace: system };
      const spec = { serviceAccountName: operatorName, securityContext: podSecurity, containers: [container], ...more };
      const pod = { apiVersion: "v1", kind: "Pod", metadata, spec };
      return intern.input(pod, "create", "--dry-run=server", "-o", "json", "-f", "-");
    };
    const { spec } = Admitted.parse(JSON.parse(await created()));
    const sources = spec.volumes.flatMap(({ projected }) => projected?.sources ?? []);
    assert.ok(sources.some((source) => "serviceAccountToken" in source));
    await assert.rejects(created({ hostPID: true }), /violates PodSecurity/);
    await assertRefused(intern, ["get", "secrets", "-n", system], ["get", "databases", "-n", own]);
  });

  test("who reads the operator's records has the passwords of every Database, and by that changes none", async () => {
    const reader = await holderIn("reader", "get,list", "secrets");
    const record = ["secret", `credentials.${own}.orders`, "-n", system] as const;
    const read = await reader("get", ...record, "-o", "jsonpath={.data.app}");
    assert.equal(read, (await readSecret(kubectl(), "orders-credentials", own))["password"]);
    await assertRefused(
      reader,
      ["delete", ...record, "--wait=false"],
      ["get", "secrets", "-n", own],
      [...merge, '{"spec":{"replicas":2}}'],
    );
  });

  test("a node reads the Secrets of the pods that it runs, and no others", async () => {
    const node = await kubectl()("get", "pod", "orders-0", "-n", own, "-o", "jsonpath={.spec.nodeName}");
    const identity = [`--as=system:node:${node}`, "--as-group=system:nodes"];
    const asNode = (...args: string[]): Promise<string> => kubectl()(...args, ...identity);
    assert.match(await asNode("get", "secret", "orders-system", "-n", own, "-o", "name"), /orders-system/);
    for (const args of [
      ["get", "secrets", "-n", own],
      ["get", "secret", "vault", "-n", foreign],
      ["get", "secret", `${operatorName}-state-key`, "-n", system],
    ])
      await assert.rejects(asNode(...args), refusal, args.join(" "));
  });
}
