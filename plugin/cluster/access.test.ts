import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { after, afterEach, before } from "node:test";
import { stringify } from "yaml";
import type { Reach } from "../command/world";
import { accessTo, contextsOf, type Access } from "./access";

let directory: string;
before(async () => (directory = await mkdtemp(join(tmpdir(), "access-"))));
after(() => rm(directory, { recursive: true }));

/** What decides besides the kubeconfig. */
const decisive = ["KUBECONFIG", "HOME", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;
const original = decisive.map((name) => [name, process.env[name]] as const);
afterEach(() => {
  for (const [name, value] of original) set(name, value);
});
function set(name: (typeof decisive)[number], value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

async function written(name: string, content: unknown): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, typeof content === "string" ? content : stringify(content));
  return file;
}

interface Parts {
  readonly current?: string;
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
}

type Config = Readonly<Record<"clusters" | "users" | "contexts", readonly unknown[]> & { "current-context": string }>;

/** A kubeconfig whose context, cluster and user are called `name`. */
const kubeconfig = (
  name: string,
  { current = name, cluster, user = { token: `token-of-${name}` } }: Parts = {},
): Config => ({
  clusters: [{ name, cluster: { server: `https://${name}.example.com`, ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, namespace: `of-${name}` } }],
  "current-context": current,
});

const reach = (some: Partial<Reach> = {}): Reach => ({
  ...{ kubeconfig: undefined, context: undefined, as: undefined, groups: [], ...some },
});

/** By the files of KUBECONFIG. */
function accessBy(files: readonly string[], some: Partial<Reach> = {}): Promise<Access> {
  set("KUBECONFIG", files.join(delimiter));
  return accessTo(reach(some));
}

test("of several files the first that sets a current context decides, as for kubectl", async () => {
  const files = [await written("a", kubeconfig("a")), await written("b", kubeconfig("b"))];
  const { server, context, namespace } = await accessBy(files);
  assert.deepEqual([server, context, namespace], ["https://a.example.com", "a", "of-a"]);
  const silent = await written("silent", { ...kubeconfig("silent"), "current-context": "" });
  assert.equal((await accessBy([silent, ...files])).context, "a");
  assert.equal((await accessBy(files, { context: "b" })).server, "https://b.example.com");
  assert.deepEqual(contextsOf(undefined), ["a", "b"]);
});

test("of a name that several files have the first decides", async () => {
  const [first, second] = [kubeconfig("same"), kubeconfig("same", { cluster: { server: "https://other" } })];
  const { server } = await accessBy([await written("same-1", first), await written("same-2", second)]);
  assert.equal(server, "https://same.example.com");
});

test("a file of the list that does not exist, or is empty, is passed over", async () => {
  const files = [join(directory, "nowhere"), await written("empty", ""), await written("a", kubeconfig("a")), ""];
  assert.equal((await accessBy(files)).server, "https://a.example.com");
});

test("a file that cannot be read or understood is named", async () => {
  const torn = await written("torn", "{clusters: [");
  await assert.rejects(accessBy([torn]), /^Trouble: cannot read the kubeconfig \S+torn: /);
  await assert.rejects(accessBy([directory]), /^Trouble: cannot read the kubeconfig .*EISDIR/);
});

test("without a kubeconfig, and outside of a cluster, it says that there is none", async () => {
  for (const files of [[join(directory, "nowhere")], [await written("empty", "")]])
    await assert.rejects(accessBy(files), /^Trouble: there is no kubeconfig$/);
  set("HOME", directory);
  await assert.rejects(accessBy([]), /^Trouble: there is no kubeconfig$/);
  await mkdir(join(directory, ".kube"));
  await written(".kube/config", kubeconfig("home"));
  assert.equal((await accessBy([])).context, "home");
});

test("an entry that is broken does not matter to another one", async () => {
  const good = kubeconfig("a");
  const broken = { name: "other", context: { namespace: "x" } };
  const file = await written("half", { ...good, contexts: [broken, ...good.contexts], users: [...good.users, {}] });
  assert.equal((await accessBy([file])).server, "https://a.example.com");
  await assert.rejects(accessBy([file], { context: "other" }), /^Trouble: context "other" names no cluster$/);
});

test("a context whose cluster or user there is not is an error that says so", async () => {
  const file = await written("lost", { ...kubeconfig("a"), clusters: [] });
  await assert.rejects(
    accessBy([file]),
    /^Trouble: context "a" names the cluster "a", which is not in the kubeconfig$/,
  );
  const anonymous = await written("lost", { ...kubeconfig("a"), users: null });
  await assert.rejects(accessBy([anonymous]), /names the user "a", which is not in the kubeconfig$/);
});

test("files beside a kubeconfig are found from another directory", async () => {
  await Promise.all(["ca", "cert", "key"].map((name) => written(name, `text of ${name}`)));
  const user = { "client-certificate": "cert", "client-key": "key" };
  const file = await written("beside", kubeconfig("a", { user, cluster: { "certificate-authority": "ca" } }));
  for (const access of [await accessTo(reach({ kubeconfig: file })), await accessBy([file])]) {
    const { ca, cert, key } = access.options;
    assert.deepEqual([ca, cert, key].map(String), ["text of ca", "text of cert", "text of key"]);
  }
});

test("what is written in the kubeconfig wins over a file", async () => {
  const data = (text: string): string => Buffer.from(text).toString("base64");
  const cluster = { "certificate-authority": "nowhere", "certificate-authority-data": data("written") };
  const file = await written("both", kubeconfig("a", { cluster }));
  assert.equal(String((await accessBy([file])).options.ca), "written");
});

test("a token in a file is read, and wins over one that is written", async () => {
  await written("token", "of-file\n");
  const file = await written("by-file", kubeconfig("a", { user: { token: "old", tokenFile: "token" } }));
  assert.equal((await accessBy([file])).headers["Authorization"], "Bearer of-file");
});

test("a context without a user trusts the cluster's certificate, too", async () => {
  const config = { ...kubeconfig("a", { cluster: { "certificate-authority-data": "eA==" } }) };
  const file = await written("anonymous", { ...config, contexts: [{ name: "a", context: { cluster: "a" } }] });
  const { options, headers } = await accessBy([file]);
  assert.deepEqual([String(options.ca), headers["Authorization"]], ["x", undefined]);
});

test("a user of the kubeconfig who acts as another acts with all that is written", async () => {
  const user = {
    ...{ token: "t", as: "jane", "as-uid": "7", "as-groups": ["dev", "ops"] },
    "as-user-extra": { "example.com/Team": ["a", "b"] },
  };
  const file = await written("acting", kubeconfig("a", { user }));
  const { headers } = await accessBy([file]);
  assert.deepEqual(
    Object.entries(headers).filter(([name]) => name.startsWith("Impersonate")),
    [
      ["Impersonate-User", "jane"],
      ["Impersonate-Uid", "7"],
      ["Impersonate-Group", ["dev", "ops"]],
      ["Impersonate-Extra-example.com%2FTeam", ["a", "b"]],
    ],
  );
  const flagged = await accessBy([file], { as: "joe", groups: ["qa"] });
  assert.deepEqual([flagged.headers["Impersonate-User"], flagged.headers["Impersonate-Group"]], ["joe", ["qa"]]);
});

test("a server without TLS is asked, and gets no token unless the kubeconfig is careless of it", async () => {
  const plain = { server: "http://127.0.0.1:8001/" };
  const file = await written("plain", kubeconfig("a", { cluster: plain }));
  const { server, headers } = await accessBy([file]);
  assert.deepEqual([server, headers["Authorization"]], ["http://127.0.0.1:8001", undefined]);
  const careless = { ...plain, "insecure-skip-tls-verify": true };
  const other = await written("careless", kubeconfig("a", { cluster: careless }));
  assert.equal((await accessBy([other])).headers["Authorization"], "Bearer token-of-a");
});

test("the proxy of the environment is used where the kubeconfig names none", async () => {
  const agentOf = async (file: string): Promise<string | undefined> =>
    (await accessBy([file])).options.agent?.constructor.name;
  const file = await written("a", kubeconfig("a"));
  set("HTTPS_PROXY", "http://proxy.example.com:3128");
  set("NO_PROXY", "");
  assert.equal(await agentOf(file), "HttpsProxyAgent");
  set("NO_PROXY", "a.example.com");
  assert.equal(await agentOf(file), "Agent");
  const own = await written("own", kubeconfig("a", { cluster: { "proxy-url": "socks5://proxy" } }));
  assert.equal(await agentOf(own), "SocksProxyAgent");
});
