// What a Database is created from: its arguments, as a program writes them.
import type * as pulumi from "@pulumi/pulumi";
import type { EngineName } from "../contract/engines";
import type { TlsMode } from "../contract/import";
import type { ServerTls } from "../contract/tls";
import type { DrillQuery } from "../contract/verification-report";
import type { ClientServices, OwnMetadata, PodPlacement } from "./placement-args";

/**
 * Who recreates members' pods when their template changes. `RollingUpdate`: the StatefulSet's controller, by number,
 * whichever member is primary. `OnDelete`: the client that deletes the pods, in its own order.
 */
export type UpdateStrategy = "RollingUpdate" | "OnDelete";

/** From where the superuser may connect: from the pod of its own member alone, or from other pods as well. */
export type SuperuserAccess = "Local" | "Network";

/** What a major upgrade needs a Job for. */
export interface UpgradeJob {
  /**
   * Try it with the newest backup, carry it out with the files of the first member, put the former files back, or those of the target, which are
   * kept since these were put back.
   */
  readonly act: "rehearse" | "convert" | "return" | "reinstate";
  /** Image with the programs of both versions. */
  readonly image: string;
  /** The version that is left, whatever the act. */
  readonly from: string;
  readonly to: string;
  /** Tells this Job from others of the same name: in an annotation of its pods. */
  readonly request: string;
}

/** Where a major upgrade is. */
export interface UpgradeStep {
  /** Which members there are: all, the first one, or none. The volumes of all stay. */
  readonly members: "all" | "one" | "none";
  /** Default: none. */
  readonly job?: UpgradeJob;
  /** Whether members may remove the files of other major versions that they keep. Default: false. */
  readonly removesOthers?: boolean;
  /** Asks for a backup by the Job `<name>-backup-final`, as `finalBackup` does, while all else continues. Needs `backup.enabled`. Default: none. */
  readonly backup?: string;
  /** What a client that has lost its own state must know of it: an annotation of the StatefulSet. Default: nothing. */
  readonly note?: string;
}

/** Object storage that speaks S3, such as a bucket of a cloud. */
export interface ObjectStorage {
  readonly bucket: string;
  /** What all names there begin with, such as "prod". Default: none. */
  readonly prefix?: string;
  /** Such as "https://s3.example.com", with a port where it is not the usual one. */
  readonly endpoint: string;
  /** Default: "us-east-1". */
  readonly region?: string;
  /** Whether the bucket is named in the path rather than in the host. Default: false. */
  readonly pathStyle?: boolean;
  /** Name of a Secret of the namespace with the keys `accessKeyId` and `secretAccessKey`. */
  readonly credentials: string;
  /** Name of a Secret of the namespace whose key `ca.crt` is the authority of the endpoint's certificate. Default: the image's authorities. */
  readonly ca?: string;
  /** Name of a Secret of the namespace whose key `passphrase` encrypts all that goes there; it stays for as long as that place. Default: nothing is encrypted. */
  readonly encryption?: string;
}

/** Restore drills. */
export interface Verify {
  /** Default: true. */
  readonly enabled?: boolean;
  /** Cron expression with five fields, in UTC. Default: once a week, at a time that follows from namespace and name. */
  readonly schedule?: string;
  /** How long one may take. Default: 360. */
  readonly timeoutMinutes?: number;
  /** What is asked of the restored database, in SQL; not of MongoDB. Default: nothing. */
  readonly queries?: readonly DrillQuery[];
}

/** CPU and memory of a container, as Kubernetes quantities. */
export interface Resources {
  /** What the scheduler reserves. */
  readonly requests?: Readonly<Record<string, string>>;
  /** What the container may use at most. */
  readonly limits?: Readonly<Record<string, string>>;
}

/** The object that owns the children; deleting it lets the garbage collector remove them. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The passwords of a database. They are handed in, so that the desired state stays a pure function of its arguments. */
export interface Passwords {
  /** Of the role and database `app`, for applications. */
  readonly app: pulumi.Input<string>;
  /** Of the superuser; only members and the init Job use it. */
  readonly superuser: pulumi.Input<string>;
  /** Of the role by which members copy data from each other and backups are taken. */
  readonly replication: pulumi.Input<string>;
  /** Of the role by which the metrics exporter reads statistics. */
  readonly monitor: pulumi.Input<string>;
  /** Of the members' control interface (Patroni's REST API) for requests that change something. */
  readonly rest: pulumi.Input<string>;
}

/** What members are known by. All in PEM. Others take the place of these without a restart, and what is open stays. */
export interface Certificates {
  /** What clients and members trust: that which signed `certificate`, and beside it, for as long as anything trusts or shows the other, that which did before or will next. */
  readonly authorities: pulumi.Input<string>;
  /** For all names of the Services, the members' (`*.<name>-headless.<namespace>.svc`) and `localhost`; with what leads to its authority. */
  readonly certificate: pulumi.Input<string>;
  /** PKCS #8. */
  readonly key: pulumi.Input<string>;
}

/** Where the data of a new Database come from. */
export type RestoreOrigin =
  /** The volume of this claim has the backup, under the name `label`. Default of that: the newest there. */
  | {
      readonly claim: string;
      readonly label?: string | undefined;
      /** The Database that takes its backups there, and may have the volume all the time. Default: none is known. */
      readonly takenBy?: string | undefined;
      /** Up to where the changes behind the backup are replayed: to the end of what is there, or to a moment in RFC 3339. Default: none of them. */
      readonly until?: string | undefined;
    }
  /** Object storage has it; PostgreSQL and MySQL only. */
  | { readonly stored: StoredBackups }
  /** A server elsewhere has them: they are imported. */
  | { readonly server: SourceServer };

/** A server elsewhere, of the same engine. */
export interface SourceServer {
  readonly host: string;
  readonly port: number;
  /** Which of its databases: of PostgreSQL one, which becomes that of the application, of the others some, under their names. */
  readonly databases: readonly string[];
  /** Name of a Secret of the namespace with the keys `username` and `password`. */
  readonly credentials: string;
  /** How the way there is secured. */
  readonly tls: TlsMode;
  /** Name of a Secret of the namespace whose key `ca.crt` is the authority of its certificate. Default: the usual authorities. */
  readonly ca?: string | undefined;
}

/** Backups in object storage, and which moment of them is meant. */
export interface StoredBackups {
  /** Its `prefix` is the whole path of the Database that was backed up, its namespace and name included. */
  readonly storage: ObjectStorage;
  /** The system identifier of the cluster that was backed up. Default: the only one that has backups there. */
  readonly cluster?: string | undefined;
  /** The backup that it begins with. Default: the newest one that is not after the moment. */
  readonly label?: string | undefined;
  /** Up to where the WAL behind the backup is replayed: not beyond the backup's end, to the end of what is there, or to a moment in RFC 3339. */
  readonly until: string;
}

/** What a `Database` is created from. */
export interface DatabaseArgs {
  /** Namespace of all children; it must exist. */
  readonly namespace: string;
  /** Database engine. */
  readonly engine: EngineName;
  /** Version of the server in `image`: for PostgreSQL in full, such as "17.6", for MySQL the release series, such as "9.7". */
  readonly version: string;
  /** Image of all containers, built from `images/<engine>`. */
  readonly image: string;
  /** Number of members, 1 to 10. Default: 3. */
  readonly replicas?: number;
  /** Size of each member's data volume as a quantity; it may only grow. Default: "10Gi". */
  readonly storage?: string;
  /** StorageClass of the data volumes; it cannot change later. Default: the cluster's default class. */
  readonly storageClass?: string;
  /**
   * Size in the StatefulSet's immutable claim template, which counts only while the StatefulSet is created: when it exists
   * but the Pulumi state was lost, hand in the size that it has. Default: `storage`.
   */
  readonly claimTemplateStorage?: string;
  /**
   * The pod template that members keep, as it was declared before: hand it in where another version of this library must not restart them.
   * Default: what the other arguments make of it.
   */
  readonly memberTemplate?: unknown;
  /**
   * Whether the Job of the first backup is created again where only the place or the metadata of its pod, or its pull secrets, change: hand it in
   * while that Job has not succeeded. Default: false, as each backup that is taken makes an older one go.
   */
  readonly retriesFirstBackup?: boolean;
  /** Engine parameters, string to string. Reserved ones are refused: see `parameterProblems`. Default: none. */
  readonly config?: Readonly<Record<string, string>>;
  /** CPU and memory of each member. Default: 250m CPU; 512Mi of memory, requested and as limit, 1Gi for engines that need more. */
  readonly resources?: Resources;
  /** Whether a commit waits until a second member has it; has an effect from two members. Default: false. */
  readonly synchronousCommit?: boolean;
  /** How `synchronousCommit` waits; PostgreSQL only, and only with it. Changing it restarts nothing. */
  readonly synchronous?: {
    /** How many other members must have a commit, less than `replicas`; fewer where fewer are there. Default: 1. */
    readonly members?: number;
    /** Whether commits wait while no other member is there, rather than continue with the primary alone. Default: false. */
    readonly strict?: boolean;
  };
  /** Backups onto a volume of their own. */
  readonly backup?: {
    /** Whether backups are taken. Default: true. */
    readonly enabled?: boolean;
    /** Cron expression with five fields, in UTC. Default: "0 2 * * *". */
    readonly schedule?: string;
    /** How many complete backups are kept, at least 1. Default: 7. */
    readonly retention?: number;
    /** Size of the backup volume as a quantity; it may only grow. Default: `storage`. */
    readonly size?: string;
    /** StorageClass of the backup volume; it cannot change later. Default: `storageClass`. */
    readonly storageClass?: string;
    /** Labels of backups, such as "shop-20261121T020003Z", that are kept beyond `retention`, which does not count them. Default: none. */
    readonly kept?: readonly string[];
    /** Object storage, in place of a volume; PostgreSQL and MySQL only. PostgreSQL then archives, which restarts the members. Default: none. */
    readonly s3?: ObjectStorage;
    /** How many backups there are from one full one to the next, with `s3`; those between have what has changed since. Default: 7. */
    readonly fullEvery?: number;
    /** Restore drills. Default: once a week. */
    readonly verify?: Verify;
    /** How old the newest change may be that is not in the object storage yet, with `s3`, in seconds. Default: 60. */
    readonly everySeconds?: number;
    /** Whether changes between backups are kept on their volume, by the Deployment `<name>-archive`; PostgreSQL and MySQL only. Default: false. */
    readonly pointInTime?: boolean;
  };
  /** Metrics. */
  readonly monitoring?: {
    /** Whether each member has a metrics exporter beside it. Default: true. */
    readonly enabled?: boolean;
    /** Labels of the ServiceMonitor, by which a Prometheus selects it. Default: {release: "kps"}. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Whether a ServiceMonitor is created; the cluster must know that kind. Default: false. */
    readonly serviceMonitor?: boolean;
  };
  /**
   * From where the superuser may connect: "Local", from inside its member's pod, or "Network", from every pod that may reach the database.
   * Not for every engine. Changing it restarts nothing. Default: "Local", where the database is not older than this argument.
   */
  readonly superuserAccess?: SuperuserAccess;
  /**
   * Fills the first member's volume, from a backup or a server elsewhere, before there are members. While it is given there are no members,
   * and neither initialization nor backups; leave it out once the Job `<name>-restore`, or `<name>-import`, has succeeded. Default: none.
   */
  readonly restore?: RestoreOrigin & {
    /** Tells this restore from others for a Database of the same name: in an annotation of the Job's pods. */
    readonly request: string;
  };
  /**
   * Whether connections over the network are with TLS: "Off"; "Prefer", with and without; "Require", with it alone, and members check each other.
   * PostgreSQL only. Changing it restarts the members. One step at a time, the next once all have restarted: a member may not ask of others what
   * they do not have yet. Default: "Off".
   */
  readonly tls?: ServerTls;
  /** What members are known by, where `tls` is not "Off". */
  readonly certificates?: Certificates;
  /** A major upgrade in progress; PostgreSQL only. `version` and `image` are those of the members. Default: none. */
  readonly upgrade?: UpgradeStep;
  /** Which nodes the pods run on. Changing it restarts members. Default: any. */
  readonly placement?: PodPlacement;
  /** What pods carry beside what this library writes; own keys are not checked here. Changing it restarts members. Default: nothing. */
  readonly podMetadata?: OwnMetadata;
  /** Names of Secrets with which images are pulled. Changing it restarts members. Default: none. */
  readonly imagePullSecrets?: readonly string[];
  /** Of clients. Changing them restarts nothing. Default: inside the cluster only. */
  readonly services?: ClientServices;
  /** Passwords of all roles. They are marked secret in the state, whether the caller did so or not. */
  readonly passwords: Passwords;
  /** Controller of all children but volumes' claims and credentials, which outlive it. Default: none. */
  readonly owner?: Owner;
  /**
   * Who recreates members when their pods' template changes. With `OnDelete` no controller does until their pods are deleted: for
   * the client that restarts members in its own order, as the operator does. Changing it restarts nothing. Default:
   * "RollingUpdate", by the StatefulSet's controller.
   */
  readonly updateStrategy?: UpdateStrategy;
  /**
   * Asks for a last backup, by the Job `<name>-backup-final`, while the schedule rests; another text asks for another one.
   * Needs `backup.enabled`. Default: none.
   */
  readonly finalBackup?: string;
}

/** The arguments that are no secret, nor change by themselves. */
export type DatabaseOptions = Omit<DatabaseArgs, "passwords" | "certificates">;
