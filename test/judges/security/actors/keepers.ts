// Those who have what Databases and the operator are kept in, or the operator itself.
import { deletion } from "../../reliability/cases/deletion";
import { beside, byHolder, inCluster, inStory, proven, type Actor, type Cite } from "../actor";

const taking =
  "who holds the operator's rights reads every Secret and has pods started anywhere, but deletes no Database and hands on no more";
const starting =
  "who may create pods in the operator's namespace has its account and its records by one, but not the node";
const reading = "who reads the operator's records has the passwords of every Database, and by that changes none";

const node: Actor = {
  who: "Root of a node",
  worst: "has the Databases on it, and the operator's token where the operator runs",
  gets: "Memory, volumes, Secrets and tokens of all pods of that node.",
  barriers: [
    {
      from: "reads Secrets of pods elsewhere",
      by: "Kubernetes' [authorizer for nodes](https://kubernetes.io/docs/reference/access-authn-authz/node/), where it is on",
      tried: [byHolder("a node reads the Secrets of the pods that it runs, and no others")],
    },
    {
      from: "finds states of the operator on a disk",
      by: "the operator writes to memory alone ([ADR 3](docs/adr/0003-state-in-secrets.md))",
      tried: [
        beside(
          "infra/infra",
          "the operator's pod runs restricted: no root, no privileges, nothing writable but memory",
        ),
      ],
    },
  ],
  open: [
    "No setting keeps the operator off nodes that run pods of others: who is root of one of these nodes may get its token. An admission policy of your own can give its pods a nodeSelector.",
    "Members of one Database spread over nodes, and each has all data.",
  ],
};

const bucket: Actor = {
  who: "Who reads a bucket, or writes to it",
  worst: "without encryption has all rows",
  gets: "With `backup.encryption`: names, sizes and times of files. **Without it, which is the default: all rows, and hashes of passwords.**",
  barriers: [
    {
      from: "reads rows of a Database with `encryption`",
      by: "AES-256 before anything leaves the pod ([ADR 44](docs/adr/0044-one-passphrase-for-one-place.md))",
      tried: [inStory("backups-encrypted", "what it sends with one is whole, and nobody reads it without")],
    },
    {
      from: "damages a backup, unnoticed",
      by: "each is read back and checked, and another one is taken ([object storage](docs/databases/object-storage.md))",
      tried: [
        inStory(
          "backups-encrypted",
          "a complete backup that is damaged where it lies is replaced at once, and says so",
        ),
      ],
    },
  ],
  open: [
    "Who may write there can delete all backups. Only versioning or object lock of the storage is against that.",
    "Without `encryption`, who may write there can put a backup of their own there, and a restore takes it, with the accounts and functions of the superuser that are in it.",
    "A passphrase cannot be replaced where it is: another `prefix` needs another one.",
  ],
};

const volume: Actor = {
  who: "Who reads a volume, a snapshot of one, or its disk",
  worst: "has all rows",
  gets: "**Data and backups on volumes are not encrypted by the operator**: all rows, and hashes of passwords.",
  barriers: [
    {
      from: "finds a backup unencrypted that its author believes to be encrypted",
      by: "`encryption` without object storage is refused ([object storage](docs/databases/object-storage.md#encryption))",
      tried: [beside("operator/api/object", "refused with a message that helps: encryption of a volume")],
    },
    {
      from: "finds what was deleted under `deletionPolicy: Delete`",
      by: "the claims are deleted ([delete](docs/databases/delete.md)); whether the disk is erased is decided by the StorageClass",
      tried: [proven(deletion.cascades)],
    },
  ],
  open: [
    "A StorageClass that encrypts is all there is. Who may delete a claim, or a PersistentVolume, deletes the data.",
  ],
};

const operatorMay = (sentence: string): Cite => inCluster("platform", `the operator ${sentence}`);

const token: Actor = {
  who: "Who holds the operator's token",
  worst: "is in effect an administrator of the cluster",
  gets: "Every Secret of the cluster, and StatefulSets, Deployments and Jobs in every namespace, and so pods with any account of that namespace ([rights](docs/rights.md#the-operator)). With [`watchNamespaces`](docs/platform/security.md#what-the-operator-may-do), of these namespaces, and what is said below of webhooks.",
  barriers: [
    {
      from: "deletes Databases, creates pods, opens a shell, gives itself or others more",
      by: "there is no such right, and none to escalate ([rights](docs/rights.md#the-operator))",
      tried: [
        byHolder(taking),
        operatorMay("may not open a shell in a pod"),
        operatorMay("may not change the whole cluster's roles"),
        operatorMay("may hand on the members' Role"),
      ],
    },
    {
      from: "has more rights than the operator uses",
      by: "each right is used in tests or has a reason ([ADR 17](docs/adr/0017-rights-that-are-used.md))",
      tried: [
        beside(
          "infra/infra",
          "the operator may do nothing by wildcard, and nothing that decides who may do what cluster-wide",
        ),
      ],
    },
    {
      from: "goes beyond `watchNamespaces`",
      by: "Roles instead of the ClusterRole ([security](docs/platform/security.md#what-the-operator-may-do))",
      tried: [
        inCluster("watch-namespaces", "the operator may not read Secrets of another namespace"),
        inCluster("watch-namespaces", "the operator may not make Roles in another namespace"),
        inCluster(
          "watch-namespaces",
          "a Database of another namespace is not touched, and the operator has no rights there",
        ),
      ],
    },
    {
      from: "writes after another operator leads",
      by: "a fence in front of each write ([ADR 15](docs/adr/0015-one-leader-and-a-fence.md)); it holds for operators, and not for who took the token",
      tried: [
        inCluster("leadership", "a leader that was frozen in the middle of a run writes nothing any more, and ends"),
      ],
    },
  ],
  open: [
    {
      text: "Jobs in `kube-system`, with privileges, or with an account that has more rights: nothing of ours refuses them. Pod Security refuses privileges in namespaces that enforce it, and leaves the accounts.",
      shown: [byHolder(taking)],
    },
    {
      text: "**Its webhook configurations may be patched by it, with `watchNamespaces` as well.** RBAC knows no right to one field: where the webhooks are installed, who holds the token can have every request that changes something sent to a server of theirs and, by the mutating one, change it.",
      shown: [
        operatorMay("may name that authority in its own webhooks"),
        operatorMay("may name it in those that say who changed what"),
      ],
    },
  ],
};

const cohabitant: Actor = {
  who: "Who may create pods in the operator's namespace",
  worst: "has all of the above",
  gets: "The operator's account, and its records, by a pod that names them.",
  barriers: [
    {
      from: "gets at the node",
      by: "[Pod Security](https://kubernetes.io/docs/concepts/security/pod-security-standards/): `pulumi up` has the namespace enforce `restricted`",
      tried: [
        byHolder(starting),
        beside("infra/infra", "the operator's namespace refuses every pod that is not restricted"),
      ],
    },
  ],
  open: [
    {
      text: "The account and the records. Keep people and other programs out of that namespace.",
      shown: [byHolder(starting)],
    },
  ],
};

const reader: Actor = {
  who: "Who reads the operator's records, a backup of them, or etcd",
  worst: "has the passwords of all Databases",
  gets: "Passwords of record in clear, and states with their key beside them ([records](docs/platform/records.md)).",
  barriers: [
    {
      from: "changes something by that",
      by: "reading a Secret is all that the right gives ([records](docs/platform/records.md))",
      tried: [byHolder(reading)],
    },
    {
      from: "connects as the superuser",
      by: "it is refused over the network ([ADR 34](docs/adr/0034-the-superuser-stays-off-the-network.md)); with `app` they need a way to the client port, too",
      tried: [
        inStory(
          "superuser",
          "a new Database: every member refuses the superuser with its password, and the init Job does not need it",
        ),
      ],
    },
  ],
  open: [
    { text: "Every password, of every Database.", shown: [byHolder(reading)] },
    "etcd, and backups of it, have them in clear unless the cluster encrypts Secrets at rest. Backups of the records are encrypted by you, or not at all.",
  ],
};

const proxy: Actor = {
  who: "Who has the key of the console's proxy, or the console's token",
  worst: "reads and approves in the name of any person that the console may act for",
  gets: "With the key, the pages of the [shared console](docs/platform/console.md) as any of these persons. With the token, all that these persons may do in the cluster.",
  barriers: [
    {
      from: "acts as Kubernetes itself, or for a group that is not named",
      by: "the account may impersonate named groups alone, and the console takes no name that begins with `system:` ([the shared console](docs/platform/console.md#whom-it-may-act-for))",
      tried: [
        inCluster(
          "console-installed",
          "two pods of it run, and its account may act for people and the groups that are named, and nothing else",
        ),
        inCluster(
          "console-installed",
          "a stranger sees nothing, nor does one of whom the proxy says that they are of Kubernetes itself",
        ),
      ],
    },
  ],
  open: ['With `users: ["*"]` that is every user, administrators among them that are bound by name: name the users.'],
};

export const keepers: readonly Actor[] = [node, bucket, volume, token, cohabitant, reader, proxy];
