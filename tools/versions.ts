// The versions of everything the tools build: the Go modules and package.json must agree with this list (a test compares them).

/** Pinned version, without a leading v, of each Go module in `tools/modules` and in `resident`. */
export const versions = {
  etcd: "3.6.6",
  kubernetes: "1.34.4",
  kwok: "0.7.0",
  coredns: "1.12.4",
  pulumi: "3.258.0",
  // of the Pulumi that it embeds
  resident: "3.258.0",
  "pulumi-language-nodejs": "3.188.0",
  "pulumi-kubernetes": "4.25.0",
  // only tests use these
  kubeconform: "0.7.0",
  "kube-score": "1.20.0",
  kubesec: "2.14.2",
  "kube-network-policies": "1.1.1",
  ferretdb: "1.24.0",
  versitygw: "1.8.0",
  // of release 100.10; the module has no tags that Go reads
  mongodump: "0.0.0-20240723193119-837c2bc263f4",
  mongorestore: "0.0.0-20240723193119-837c2bc263f4",
} as const;

/** Name of a Go module. */
export type ModuleName = keyof typeof versions;
