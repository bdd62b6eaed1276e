// The table of tools: which Go module builds which programs, with which flags, and which found programs may stand in.
import { type ModuleName, versions } from "../versions";
import type { Fit } from "./version";

/** A program that a module builds. */
export interface Tool {
  /** Name of the program, as it is called on PATH. */
  name: string;
  /** Main package. */
  package: string;
  /** Arguments that make the program print its version. */
  versionArgs: readonly string[];
  /** Which versions on PATH are used instead of building. */
  fit: Fit;
  /** The only platform it is built on. Default: all. */
  platform?: NodeJS.Platform;
}

/** A Go module and what is built from it, all in one go. */
export interface Module {
  name: ModuleName;
  /** Its directory below the root, where it is not `tools/modules/<name>`: sources of the product, or a module of several programs. */
  directory?: string;
  /** Variables set at link time, by their full names. */
  variables: Readonly<Record<string, string>>;
  tools: readonly Tool[];
  /** Whether only tests use it: then it is built when one of its programs is asked for by name. Default: false. */
  onlyTests?: true;
}

const kubernetesVersion = "k8s.io/component-base/version";
const pulumiVersion = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
const [kubernetesMajor, kubernetesMinor] = versions.kubernetes.split(".") as [string, string];

/** All modules, quickest build first. */
export const modules: readonly Module[] = [
  {
    name: "etcd",
    variables: {},
    tools: [
      { name: "etcd", package: "go.etcd.io/etcd/server/v3", versionArgs: ["--version"], fit: { kind: "sameMinor" } },
    ],
  },
  {
    name: "pulumi-language-nodejs",
    variables: { [pulumiVersion]: `v${versions["pulumi-language-nodejs"]}` },
    tools: [
      {
        name: "pulumi-language-nodejs",
        package: "github.com/pulumi/pulumi/sdk/nodejs/cmd/pulumi-language-nodejs/v3",
        versionArgs: ["--version"],
        // it does not tell its version
        fit: { kind: "none" },
      },
    ],
  },
  {
    name: "kwok",
    variables: { "sigs.k8s.io/kwok/pkg/consts.Version": `v${versions.kwok}` },
    tools: [
      { name: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok", versionArgs: ["--version"], fit: { kind: "sameMinor" } },
    ],
  },
  {
    name: "coredns",
    variables: {},
    tools: [
      { name: "coredns", package: "github.com/coredns/coredns", versionArgs: ["-version"], fit: { kind: "none" } },
    ],
  },
  {
    name: "kubernetes",
    variables: {
      [`${kubernetesVersion}.gitVersion`]: `v${versions.kubernetes}`,
      [`${kubernetesVersion}.gitMajor`]: kubernetesMajor,
      [`${kubernetesVersion}.gitMinor`]: kubernetesMinor,
    },
    tools: [
      kubernetesTool("kube-apiserver"),
      kubernetesTool("kube-controller-manager"),
      kubernetesTool("kube-scheduler"),
      {
        name: "kubectl",
        package: "k8s.io/kubernetes/cmd/kubectl",
        versionArgs: ["version", "--client"],
        fit: { kind: "withinMinors", minors: 1 },
      },
      { ...kubernetesTool("kubelet"), platform: "linux" },
      { ...kubernetesTool("kube-proxy"), platform: "linux" },
    ],
  },
  {
    name: "pulumi",
    variables: { [pulumiVersion]: `v${versions.pulumi}` },
    tools: [
      {
        name: "pulumi",
        package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        versionArgs: ["version"],
        fit: { kind: "atLeast", minimum: "3.200.0" },
      },
    ],
  },
  {
    name: "resident",
    directory: "resident",
    variables: { [pulumiVersion]: `v${versions.resident}` },
    tools: [
      {
        name: "pulumi-resident",
        package: ".",
        versionArgs: ["--version"],
        // it speaks the protocol of this version of the operator
        fit: { kind: "none" },
      },
    ],
  },
  {
    name: "pulumi-kubernetes",
    variables: { "main.version": versions["pulumi-kubernetes"] },
    tools: [
      {
        name: "pulumi-resource-kubernetes",
        package: ".",
        versionArgs: ["--version"],
        // the SDK and its provider are released together: another version is another API
        fit: { kind: "exact" },
      },
    ],
  },
  testModule("kubeconform", "github.com/yannh/kubeconform/cmd/kubeconform"),
  testModule("kube-score", "github.com/zegl/kube-score/cmd/kube-score"),
  testModule("kubesec", "github.com/controlplaneio/kubesec/v2"),
  testModule("kube-network-policies", "sigs.k8s.io/kube-network-policies/cmd/kube-network-policies/standard", "linux"),
  // object storage that speaks S3
  testModule("versitygw", "github.com/versity/versitygw/cmd/versitygw"),
  // Without the file of its release, which its Go module lacks, FerretDB refuses to start when it finds its own name in the
  // program's build information; so there is none.
  { ...testModule("ferretdb", "github.com/FerretDB/FerretDB/cmd/ferretdb"), variables: { "runtime.modinfo": "" } },
  {
    ...testModule("mongodump", "github.com/mongodb/mongo-tools/mongodump/main"),
    directory: "tools/modules/mongo-tools",
  },
  {
    ...testModule("mongorestore", "github.com/mongodb/mongo-tools/mongorestore/main"),
    directory: "tools/modules/mongo-tools",
  },
];

/** A module of one program of the same name that only tests and their images use: always the pinned one. */
function testModule(name: ModuleName, main: string, platform?: NodeJS.Platform): Module {
  const tool: Tool = { name, package: main, versionArgs: [], fit: { kind: "none" }, ...(platform && { platform }) };
  return { name, variables: {}, tools: [tool], onlyTests: true };
}

function kubernetesTool(name: string): Tool {
  return { name, package: `k8s.io/kubernetes/cmd/${name}`, versionArgs: ["--version"], fit: { kind: "sameMinor" } };
}

/** The programs of a module that are built on `platform`. */
export function toolsOn(module: Module, platform: NodeJS.Platform = process.platform): readonly Tool[] {
  return module.tools.filter((tool) => tool.platform === undefined || tool.platform === platform);
}

/** Names of all programs that are built on `platform`, without those that only tests use. */
export function toolNames(platform: NodeJS.Platform = process.platform): readonly string[] {
  const wanted = modules.filter(({ onlyTests }) => onlyTests !== true);
  return wanted.flatMap((module) => toolsOn(module, platform).map((tool) => tool.name));
}

/** The module and tool of that name. Throws, listing the names, when there is none on this platform. */
export function findTool(name: string, platform: NodeJS.Platform = process.platform): { module: Module; tool: Tool } {
  for (const module of modules) {
    const tool = toolsOn(module, platform).find((candidate) => candidate.name === name);
    if (tool) return { module, tool };
  }
  throw new Error(`there is no tool "${name}" on ${platform}; there are: ${toolNames(platform).join(", ")}`);
}
