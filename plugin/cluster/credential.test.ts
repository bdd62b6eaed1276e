import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { after, before } from "node:test";
import { stringify } from "yaml";
import { z } from "zod";
import { run } from "../../tools/host/command";
import { accessTo, type Access } from "./access";

let directory: string;
before(async () => (directory = await mkdtemp(join(tmpdir(), "credential-"))));
after(() => rm(directory, { recursive: true }));

const version = "client.authentication.k8s.io/v1";
const credential = (status: unknown): string => JSON.stringify({ apiVersion: version, kind: "ExecCredential", status });

/** A program that does what the text says. */
async function program(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
  return name;
}

async function kubeconfigWith(user: unknown, cluster: unknown = {}): Promise<string> {
  const file = join(directory, "kubeconfig");
  const all = { server: "https://a.example.com", ...z.looseObject({}).parse(cluster) };
  const config = {
    clusters: [{ name: "a", cluster: all }],
    ...{ users: [{ name: "u", user }], contexts: [{ name: "x", context: { cluster: "a", user: "u" } }] },
    "current-context": "x",
  };
  await writeFile(file, stringify(config));
  return file;
}

const access = (kubeconfig: string): Promise<Access> =>
  accessTo({ kubeconfig, context: undefined, as: undefined, groups: [] });

const exec = (command: string, more: object = {}): unknown => ({ exec: { apiVersion: version, command, ...more } });

test("the program is found beside the kubeconfig, and told of the cluster and of who can be asked", async () => {
  const seen = join(directory, "seen");
  const command = await program(
    "login",
    `printf '%s' "$KUBERNETES_EXEC_INFO" > ${seen}; printf '%s' '${credential({ token: "t" })}'`,
  );
  const settings = { tenant: "bank" };
  await writeFile(join(directory, "ca"), "x");
  const cluster = {
    "certificate-authority": "ca",
    extensions: [{ name: "client.authentication.k8s.io/exec", extension: settings }],
  };
  const user = exec(`./${command}`, { provideClusterInfo: true, interactiveMode: "Never" });
  const { headers } = await access(await kubeconfigWith(user, cluster));
  assert.equal(headers["Authorization"], "Bearer t");
  const told = { server: "https://a.example.com", "certificate-authority-data": "eA==", config: settings };
  assert.deepEqual(JSON.parse(await readFile(seen, "utf8")), {
    ...{ apiVersion: version, kind: "ExecCredential", spec: { interactive: false, cluster: told } },
  });
});

test("what the program says is seen while it runs, and not kept until its end", async () => {
  const command = await program(
    "asking",
    `echo "open https://login and write 1234" >&2; printf '%s' '${credential({ token: "t" })}'`,
  );
  const kubeconfig = await kubeconfigWith(exec(`./${command}`));
  const script = `import("./plugin/cluster/access.ts").then((m) => m.accessTo({ kubeconfig: ${JSON.stringify(kubeconfig)}, groups: [] }))`;
  // one stream for both: what is printed is the child's own
  const printed = await run("sh", ["-c", '"$0" --import tsx -e "$1" 2>&1', process.execPath, script], {});
  assert.match(printed, /open https:\/\/login and write 1234/);
});

test("a certificate that the program gives is used", async () => {
  const status = { clientCertificateData: "cert", clientKeyData: "key" };
  const command = await program("certified", `printf '%s' '${credential(status)}'`);
  const { options } = await access(await kubeconfigWith(exec(`./${command}`)));
  assert.deepEqual([options.cert, options.key], [Buffer.from("cert"), Buffer.from("key")]);
});

const failures: readonly (readonly [text: string, more: object, words: RegExp])[] = [
  ["exit 3", {}, /ended with exit code 3$/],
  ["echo no", {}, /printed no ExecCredential$/],
  ["true", { interactiveMode: "Always" }, /asks at a terminal, and there is none$/],
];
for (const [text, more, words] of failures) {
  test(`a program that does "${text}" is named, with how to get it`, async () => {
    const command = await program("failing", text);
    const user = exec(`./${command}`, { installHint: "get it at https://login", ...more });
    await assert.rejects(access(await kubeconfigWith(user)), (error) => {
      const { message, hints } = z.object({ message: z.string(), hints: z.array(z.string()) }).parse(error);
      assert.match(message, words);
      assert.match(message, /^cannot sign in as the kubeconfig says: \S+failing /);
      assert.deepEqual(hints, ["get it at https://login", "kubectl auth whoami"]);
      return true;
    });
  });
}

test("a program that there is not is an error that says so", async () => {
  await assert.rejects(access(await kubeconfigWith(exec("no-such-login"))), /no-such-login cannot be run: .*ENOENT/);
});

const token = (exp: number): string =>
  ["{}", JSON.stringify({ exp })].map((text) => Buffer.from(text).toString("base64url")).join(".") + ".s";
const oidc = (idToken: string): unknown => ({ "auth-provider": { name: "oidc", config: { "id-token": idToken } } });

test("a token of an identity provider is used until it ends, and kubectl renews it then", async () => {
  const [fresh, stale] = [token(Date.now() / 1000 + 600), token(1)];
  assert.equal((await access(await kubeconfigWith(oidc(fresh)))).headers["Authorization"], `Bearer ${fresh}`);
  const kubeconfig = await kubeconfigWith(oidc(stale));
  await program("kubectl", `sed -i s/${stale}/${fresh}/ ${kubeconfig}; printf '%s\\n' "$@" > ${directory}/asked`);
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = [directory, path].join(delimiter);
  try {
    assert.equal((await access(kubeconfig)).headers["Authorization"], `Bearer ${fresh}`);
    const asked = await readFile(join(directory, "asked"), "utf8");
    assert.equal(asked, `get\n--raw=/version\n--context=x\n--kubeconfig=${kubeconfig}\n`);
    await program("kubectl", "echo 'error: signed out' >&2; exit 1");
    await assert.rejects(
      access(await kubeconfigWith(oidc(stale))),
      /^Trouble: kubectl cannot sign in: error: signed out$/,
    );
  } finally {
    process.env["PATH"] = path;
  }
});
