// Those who have rights in a namespace, and the platform's engineers.
import { bounded } from "../../reliability/cases/bounded";
import { deletion } from "../../reliability/cases/deletion";
import { drift } from "../../reliability/cases/drift";
import { input } from "../../reliability/cases/input";
import { preview } from "../../reliability/cases/preview";
import { beside, byHolder, inCluster, proven, type Actor } from "../actor";

const viewing =
  "who may view a namespace reads its Databases, their history and their logs, but no password, and writes nothing";
const administering =
  "who administers a namespace gives no right to approve and none of the operator's, and leaves status and history alone";

const viewer: Actor = {
  who: "Who may view a namespace (`view`)",
  worst: "reads what Databases are and were, and what their servers log",
  gets: "Databases, DatabaseBackups, companions and the history of the namespace. By Kubernetes' own `view` its ConfigMaps, pods and events, and the logs of members.",
  barriers: [
    {
      from: "reads a password",
      by: "passwords are in Secrets alone, which `view` may not read, and in no spec, status, event or log of the operator ([debug data](docs/platform/logs-and-debug-data.md#debug-data-without-secrets))",
      tried: [byHolder(viewing)],
    },
    {
      from: "changes, scales, deletes or approves something",
      by: "[RBAC](docs/rights.md#people)",
      tried: [
        byHolder(viewing),
        inCluster(
          "console",
          "who may look sees what waits, is told what is missing for an approval, and is refused one",
        ),
      ],
    },
    {
      from: "asks for a preview, which shows more than the Database",
      by: "the operator asks the API server whether they may write that Database ([ADR 54](docs/adr/0054-previews-are-served-where-that-is-set.md))",
      tried: [proven(preview.withheld)],
    },
    {
      from: "looks at another namespace, also through the console",
      by: "RoleBindings end at their namespace, and the console asks with the rights of who looks ([ADR 58](docs/adr/0058-a-console-that-sees-what-its-reader-may.md))",
      tried: [byHolder(viewing), inCluster("console", "a stranger sees nothing, and cannot tell what there is")],
    },
  ],
  open: [
    {
      text: "Members' logs can be read. PostgreSQL logs each statement that fails, with what is in it: `ALTER ROLE … PASSWORD` too.",
      shown: [byHolder(viewing)],
    },
    "What is in a spec or a ConfigMap can be read: keep secrets out of both.",
  ],
};

const author: Actor = {
  who: "Who may write Databases and nothing else (a role of your own)",
  worst: "has what pods of the namespace may have, and uses its Secrets",
  gets: "Databases, backups and companions of the namespace: created, changed, deleted, previewed.",
  barriers: [
    {
      from: "sees a password",
      by: "the Secret is all that has it, and needs a right of its own ([connect](docs/databases/connect.md#credentials))",
      tried: [
        inCluster(
          "tenants",
          "a user who may only create Databases sees no password: not in the object, its status, its events or the log",
        ),
      ],
    },
    {
      from: "names a ConfigMap, Secret or backup of another namespace, an account, an image or a pod",
      by: "no [field](docs/api.md) takes any of these; unknown ones are dropped",
      tried: [
        inCluster("tenants", "a Database cannot name a ConfigMap as namespace/name"),
        inCluster("tenants", "a Database cannot name a Secret with credentials as namespace/name"),
        inCluster("tenants", "a Database cannot name an account for its pods"),
        inCluster(
          "tenants",
          "fields that the API does not know are dropped, whatever the client thinks, and name nothing",
        ),
      ],
    },
    {
      from: "takes over what another client has, by a name",
      by: "the operator takes nothing that it did not make: [`NameConflict`](docs/databases/troubleshooting/stalled.md)",
      tried: [
        inCluster(
          "tenants",
          "a Database that is named like another client's objects takes none of them: no account, no Role, no Secret",
        ),
        inCluster(
          "tenants",
          "a Database named like a child of another one takes none of its children; where they do not collide, both work",
        ),
      ],
    },
    {
      from: "gets state or passwords of another namespace, by a similar name or the name of one that is gone",
      by: "records bear both names, and belong to one UID of the namespace ([ADR 33](docs/adr/0033-passwords-stay-with-their-volumes.md))",
      tried: [proven(input.alike), proven(deletion.namespaceDeleted)],
    },
    {
      from: "has a value run as a command or a statement",
      by: "each [field](docs/api.md) has rules, in the API server and once more in the operator, and values arrive as they were written",
      tried: [proven(input.admission), proven(input.bypassed), proven(input.canaries)],
    },
    {
      from: "approves their own change",
      by: "the verb `approve`, judged by the API server ([ADR 55](docs/adr/0055-changes-wait-by-what-they-do.md))",
      tried: [
        inCluster(
          "approvals",
          "who may not, names another person, or another plan, is refused by the API server, and nothing changes",
        ),
      ],
    },
    {
      from: "keeps the operator from the work of others",
      by: "namespaces take turns ([ADR 12](docs/adr/0012-looks-and-runs.md)), and a run has a deadline",
      tried: [
        beside("operator/queue/fair-line", "one tenant's burst does not delay another's edit"),
        proven(bounded.hang),
      ],
    },
  ],
  open: [
    "**Every Secret of the namespace with the keys `username` and `password`** can be sent to any server, by `spec.initFrom` ([rights of users](docs/platform/security.md#rights-of-users)).",
    "`podMetadata` is as much as the right to create pods where something injects containers by annotations, and `services` makes load balancers ([what Databases may ask for](docs/platform/security.md#what-databases-may-ask-for)).",
    "`placement` takes any PriorityClass that is not the system's, and any toleration: pods of other namespaces may have to give way.",
    "There is no limit on how many Databases there are, or how large: use a ResourceQuota (`count/databases.example.com`, `requests.storage`).",
    "Where the account of a bucket reads more than its own prefix, a Database can be restored from what others have there ([object storage](docs/databases/object-storage.md)).",
    "With `patch` alone, previews tell the parameters of any ConfigMap of the namespace, and the room on the largest node (ADR 54).",
    {
      text: "A deletion waits for no approval, and `deletionPolicy` may say `Delete`.",
      shown: [inCluster("approvals", "a deletion waits for nothing")],
    },
  ],
};

const editor: Actor = {
  who: "Who may edit a namespace (`edit`)",
  worst: "has all data of its Databases, and can destroy them",
  gets: "All of the above. By Kubernetes' own `edit` the Secrets, and a shell in members: the superuser of every Database there.",
  barriers: [
    {
      from: "reads or writes in another namespace",
      by: "RoleBindings end at their namespace; the operator lends no right ([rights of users](docs/platform/security.md#rights-of-users))",
      tried: [
        inCluster(
          "tenants",
          "a user who may edit one namespace has Databases there, and can neither read nor write in any other",
        ),
        inCluster("tenants", "nothing of the foreign namespace was touched, and nothing of it is seen in the tenants'"),
      ],
    },
    {
      from: "rewrites the history",
      by: "no role of a namespace may write DatabaseRevisions ([ADR 57](docs/adr/0057-history-has-objects.md))",
      tried: [inCluster("history", "view may read the history and edit may not write it")],
    },
    {
      from: "approves, as an account of the namespace or in another name",
      by: "a ValidatingAdmissionPolicy ([change policy](docs/databases/change-policy.md#for-the-platform))",
      tried: [
        beside(
          "infra/approvals",
          "an account of the Database's own namespace approves nothing, as others can act as it",
        ),
        inCluster("approvals", "an author that a manifest brings along is none"),
        inCluster("approvals", "an approval that is copied to another Database with its manifest is none"),
      ],
    },
    {
      from: "changes what a Database consists of, unnoticed",
      by: "it is reverted, and event and history name the client ([edits](docs/databases/edits-and-pause.md#edits-by-hand))",
      tried: [proven(drift.fieldEdited), inCluster("history", "a repair names who had changed what was put back")],
    },
  ],
  open: [
    "Claims can be deleted, and with them data and the backups on volumes. What is in a bucket with versioning or object lock stays.",
    "What is done in a shell, or with SQL, is in no history of the operator; the API server's audit log has `pods/exec`.",
    "A pod with the labels of members or of backup Jobs, which any creator of pods may write, is let through to the ports of members by the NetworkPolicy.",
    "A policy that has windows alone can be removed: `requireApproval` is what holds.",
  ],
};

const administrator: Actor = {
  who: "Who administers a namespace (`admin`)",
  worst: "has the same, and gives it to others",
  gets: "What `edit` gives, with Roles and RoleBindings.",
  barriers: [
    {
      from: "gives the right to approve, or one of the operator's",
      by: "the API server lets no one grant more than they hold, and `admin` has no `approve` ([rights](docs/rights.md#people))",
      tried: [
        byHolder(administering),
        beside("infra/approvals", "the right to approve is in no role that others are made of"),
      ],
    },
    {
      from: "writes status or history, or reads the operator's namespace",
      by: "[RBAC](docs/rights.md#people)",
      tried: [byHolder(administering)],
    },
  ],
  open: [
    {
      text: "The operator's finalizer can be removed: Kubernetes then deletes what is not data, and data and passwords stay.",
      shown: [proven(deletion.finalizerRemoved)],
    },
    "NetworkPolicies add up: another one beside that of a Database opens every port of its members.",
  ],
};

const approver: Actor = {
  who: "Who may approve (`database-operator-approve`)",
  worst: "changes Databases, and lets changes through",
  gets: "To let a change through that waits, and `patch` on Databases, as RBAC knows no right to annotations alone.",
  barriers: [
    {
      from: "approves another plan than the one that was shown",
      by: "an approval names the digest of its plan ([ADR 55](docs/adr/0055-changes-wait-by-what-they-do.md))",
      tried: [
        inCluster(
          "approvals",
          "an approval of a plan that has moved is void: neither the former nor the later change is carried out",
        ),
      ],
    },
    {
      from: "approves what they asked for themselves",
      by: "the setting [`approverMayBeAuthor: false`](docs/platform/settings.md#keys-of-a-stack), and not without it",
      tried: [
        inCluster(
          "approvals",
          "its author may not approve a change, nor may the author of an earlier edit that waits with it",
        ),
      ],
    },
  ],
  open: [
    "They may change any field. With `approverMayBeAuthor`, as is the default, they approve that as well.",
    "A role with the verbs `*` has `approve`, too.",
  ],
};

const platform: Actor = {
  who: "Platform engineers",
  worst: "have everything",
  gets: "The cluster, the operator and the catalogue. An image of the catalogue runs with all passwords of the Databases that use it.",
  barriers: [
    {
      from: "installs over another installation, by mistake",
      by: "a ValidatingAdmissionPolicy ([ADR 27](docs/adr/0027-one-installation-per-cluster.md))",
      tried: [
        inCluster(
          "platform",
          "another stack is refused where one is installed, with a message that says what to do, and changes nothing",
        ),
      ],
    },
    {
      from: "restarts Databases by a release, by mistake",
      by: "`releasePolicy`, or the policy of the Database ([upgrade](docs/platform/upgrade.md#who-is-asked))",
      tried: [
        inCluster(
          "approvals",
          "a release of the operator that restarts members waits as well: members stay, also one that is created again",
        ),
      ],
    },
  ],
  open: [
    "All of it, on purpose: they read every password and can remove every policy. What is left is the API server's audit log, where others keep it.",
  ],
};

export const people: readonly Actor[] = [viewer, author, editor, administrator, approver, platform];
