// Those who reach a Database by the network, or get into it.
import { preview } from "../../reliability/cases/preview";
import { beside, inCluster, inStory, proven, type Actor } from "../actor";

const application: Actor = {
  who: "Who has the application's password",
  worst: "has all of the application's data, for as long as the Database lives",
  gets: "The database `app` as its owner, from wherever the client port can be reached.",
  barriers: [
    {
      from: "becomes the superuser, or reads another database",
      by: "the role `app` owns its database and has no other right ([connect](docs/databases/connect.md#services))",
      tried: [
        inStory("postgresql", "the application's role owns its database and nothing more"),
        inStory("mysql", "the exporter serves metrics, and the application's account reaches its own database only"),
      ],
    },
    {
      from: "connects as the superuser, with that one's password",
      by: "the servers of PostgreSQL and MySQL refuse it over the network ([ADR 34](docs/adr/0034-the-superuser-stays-off-the-network.md))",
      tried: [
        inStory(
          "superuser",
          "a new Database: every member refuses the superuser with its password, and the init Job does not need it",
        ),
        inStory("superuser", "the role of the init Job is let in, and can do nothing beyond the Job"),
      ],
    },
    {
      from: "keeps failover or backups from working, by settings of sessions",
      by: "the operator's programs bring their own ([ADR 30](docs/adr/0030-sessions-of-our-own.md))",
      tried: [
        inStory("session-settings", "a backup is taken from a replica, whatever else a superuser sets"),
        inStory(
          "session-settings",
          "a lost primary is replaced by another member, which has the rows, and comes back as a replica",
        ),
      ],
    },
  ],
  open: [
    "**Passwords are never changed by the operator**: there is no rotation.",
    "Attempts to log in are not limited, and neither are the connections of a role. Volumes can be filled up.",
    "MongoDB: `root` may connect over the network. With FerretDB every user may do everything.",
    "Who has the superuser's password can log in as `database_init` and give `app` another password.",
  ],
};

const neighbor: Actor = {
  who: "A pod in the namespace of a Database",
  worst: "may try passwords",
  gets: "The client port of members, and their metrics.",
  barriers: [
    {
      from: "logs in without a password",
      by: "the servers ask everyone who comes by the network ([connect](docs/databases/connect.md#credentials))",
      tried: [
        inStory(
          "mongodb",
          "an application reads and writes with the connection string of its Secret, and no client without a password",
        ),
      ],
    },
    {
      from: "speaks to members as one of them",
      by: "the NetworkPolicy, where the network plug-in enforces it ([security](docs/platform/security.md#network-policies))",
      tried: [
        inStory(
          "network-policies",
          "metrics are open to all, and the port on which members talk to each other only to members",
        ),
      ],
    },
    {
      from: "reads the files of a member as backup Jobs do",
      by: "a certificate that is made from the superuser's password, on both sides ([ADR 39](docs/adr/0039-pgbackrest-to-object-storage.md))",
      tried: [
        beside("agent/postgresql/backup/certificate", "those that share the key let each other in, and nobody else"),
      ],
    },
    {
      from: "uses the token of a Job",
      by: "no pod of a Job has one, and its account may do nothing ([ADR 17](docs/adr/0017-rights-that-are-used.md))",
      tried: [inCluster("tenants", "the Jobs' token may do nothing, and no pod of a Job has it")],
    },
  ],
  open: [
    "Attempts to log in are not limited.",
    "Where the plug-in enforces no policies, Patroni (8008) and the agents of MySQL and MongoDB (8009) tell their state to everyone. To change something, Patroni asks for a password.",
  ],
};

const stranger: Actor = {
  who: "A pod elsewhere in the cluster",
  worst: "sees metrics, and may try passwords where policies are not enforced",
  gets: "Metrics of members (9187) and of the operator (8080), and the operator's webhooks (9443).",
  barriers: [
    {
      from: "connects to a Database",
      by: "the NetworkPolicy, where the network plug-in enforces it ([security](docs/platform/security.md#network-policies))",
      tried: [
        inStory("network-policies", "the port of clients is dropped to any other pod"),
        inStory(
          "network-policies",
          "the operator serves metrics to all and nothing else, and reaches the API server and no database",
        ),
      ],
    },
    {
      from: "asks the operator for a preview in the name of another",
      by: "names count only with a certificate of the API server's front proxy ([ADR 54](docs/adr/0054-previews-are-served-where-that-is-set.md))",
      tried: [
        proven(preview.withheld),
        beside("operator/preview-api/front-proxy", "headers of any other client say nothing"),
      ],
    },
    {
      from: "learns from the webhooks which Secrets there are",
      by: "callers that are not known are told nothing of Secrets ([webhooks](docs/platform/webhooks.md#validation))",
      tried: [
        beside(
          "operator/admission/verdict",
          "who is not known learns nothing of Secrets: neither which there are, nor what is in them",
        ),
      ],
    },
    {
      from: "floods the webhooks",
      by: "sizes and numbers are bounded, and leadership does not wait for them ([webhooks](docs/platform/webhooks.md#validation))",
      tried: [
        inCluster(
          "leadership",
          "a leader whose webhooks are flooded with the longest bodies keeps leading, and does its work",
        ),
      ],
    },
    {
      from: "opens the shared console",
      by: "a certificate of its proxy ([the shared console](docs/platform/console.md#the-proxy))",
      tried: [
        inCluster("console-installed", "without the proxy's certificate there is no page, whatever the headers say"),
      ],
    },
  ],
  open: [
    {
      text: 'Who creates a pod may give it the label `database.example.com/client: "true"`, by which all Databases of the cluster open their client port to it.',
      shown: [inStory("network-policies", "the port of clients is open to a pod with the client label")],
    },
    "A flood of the webhooks' port may delay the API server's own questions: after five seconds a change is stored unchecked, and without its author.",
    "Metrics need no password: they name all Databases and, of PostgreSQL, the tables of the application.",
    "`/validate` answers everyone, with names of parameters in a ConfigMap or the members that a change would restart, unless [`webhookClientCa`](docs/platform/webhooks.md#validation) is set.",
  ],
};

const listener: Actor = {
  who: "Who reads the network between pods",
  worst: "reads rows and statements of PostgreSQL and MongoDB",
  gets: "**PostgreSQL and MongoDB have no TLS**: neither clients nor replication. MySQL encrypts between members, and clients that ask for it, with certificates that cannot be verified.",
  barriers: [
    {
      from: "reads what an import brings along",
      by: "TLS with a verified certificate, unless `tls.mode` says otherwise ([import](docs/databases/import.md#the-way-there))",
      tried: [
        {
          ...{ kind: "test", file: "test/e2e/postgresql-import.test.ts" },
          test: "with another authority, or the certificate of another name, nothing is read",
        },
      ],
    },
    {
      from: "reads what backup Jobs of PostgreSQL get from members",
      by: "TLS on both sides ([ADR 39](docs/adr/0039-pgbackrest-to-object-storage.md))",
      tried: [
        beside("agent/postgresql/backup/certificate", "those that share the key let each other in, and nobody else"),
      ],
    },
    {
      from: "reads what the API server asks the webhooks",
      by: "TLS, with an authority that the operator makes and renews ([webhooks](docs/platform/webhooks.md#certificates-of-the-webhooks))",
      tried: [
        beside(
          "operator/admission/server",
          "without a certificate there is no connection, and the server keeps running",
        ),
      ],
    },
  ],
  open: [
    "Rows, statements and replication, as above. A log-in shows no password (SCRAM), but an `ALTER ROLE` shows the new one.",
    "What the agents of MySQL and MongoDB and Patroni tell each other, and metrics, over plain HTTP.",
    "An `endpoint` of object storage may be `http://`.",
    "A plug-in that encrypts between nodes helps. A service mesh was not tried.",
  ],
};

const member: Actor = {
  who: "Who breaks into a member",
  worst: "has that Database, and sees the ConfigMaps of its namespace",
  gets: "Its data, all of its passwords (they are in the environment), the keys of its bucket, and the token of the account `<name>`.",
  barriers: [
    {
      from: "uses that token for more",
      by: "a Role for the pods and ConfigMaps of that Database, by name ([rights](docs/rights.md#members-of-a-database))",
      tried: [
        inCluster(
          "tenants",
          "the members' token may look at pods and ConfigMaps of its namespace, write its own, and nothing more",
        ),
      ],
    },
    {
      from: "gets at the node",
      by: "pods are restricted: no root, no capability, no file system to write but volumes ([security](docs/platform/security.md#linters))",
      tried: [inCluster("linters", "linters find nothing but the listed exceptions: a Database with its children")],
    },
  ],
  open: [
    "PostgreSQL's members read every ConfigMap of the namespace and see every pod; those of MongoDB see every pod.",
    "The keys of the bucket delete backups, where the storage has neither versioning nor object lock. Where Databases share an account, those of the others, too.",
    "Members may connect to anything: no policy limits what leaves them.",
    "It may call itself the primary: clients are sent where a label says.",
  ],
};

export const clients: readonly Actor[] = [application, neighbor, stranger, listener, member];
