// A highly available, backed-up, monitored database as one component, made of parts that are components themselves.
import * as pulumi from "@pulumi/pulumi";
import { Access } from "./access";
import { Backup } from "./backup";
import { Configuration } from "./configuration";
import { Credentials } from "./credentials";
import { synchronousDefaults } from "./defaults";
import { DisruptionBudget } from "./disruption";
import { engineOf } from "./engines/available";
import type { Engine } from "./engines/engine";
import { Initialization } from "./initialization";
import { Monitoring } from "./monitoring";
import { credentialsSecretName, hostOf, nameProblem } from "./naming";
import { Network } from "./network";
import { Services } from "./services";
import {
  settingsOf,
  type EngineName,
  type Owner,
  type Resources,
  type Settings,
  type SuperuserAccess,
  type UpdateStrategy,
} from "./settings";
import { Workload } from "./workload";

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

/** What a `Database` is made from. */
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
   * Size in the StatefulSet's immutable claim template, which counts only while the StatefulSet is made: when it exists
   * but the Pulumi state was lost, hand in the size that it has. Default: `storage`.
   */
  readonly claimTemplateStorage?: string;
  /** Engine parameters, string to string. Reserved ones are refused: see `parameterProblems`. Default: none. */
  readonly config?: Readonly<Record<string, string>>;
  /** CPU and memory of each member. Default: 250m CPU; 512Mi of memory, requested and as limit, 1Gi for MySQL and MongoDB. */
  readonly resources?: Resources;
  /** Whether a commit waits until a second member has it; has an effect from two members. Default: false. */
  readonly synchronousCommit?: boolean;
  /** How `synchronousCommit` waits; PostgreSQL only, and only with it. To change it restarts nothing. */
  readonly synchronous?: {
    /** How many other members must have a commit, less than `replicas`; fewer where fewer are there. Default: 1. */
    readonly members?: number;
    /** Whether commits wait while no other member is there, rather than go on with the primary alone. Default: false. */
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
  };
  /** Metrics. */
  readonly monitoring?: {
    /** Whether each member has a metrics exporter beside it. Default: true. */
    readonly enabled?: boolean;
    /** Labels of the ServiceMonitor, by which a Prometheus selects it. Default: {release: "kps"}. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Whether a ServiceMonitor is made; the cluster must know that kind. Default: false. */
    readonly serviceMonitor?: boolean;
  };
  /**
   * From where the superuser may connect: "Local", from inside its member's pod, or "Network", from every pod that may reach the database.
   * Not for MongoDB. To change it restarts nothing. Default: "Local", where the database is not older than this argument.
   */
  readonly superuserAccess?: SuperuserAccess;
  /** Passwords of all roles. They are marked secret in the state, whether the caller did so or not. */
  readonly passwords: Passwords;
  /** Controller of all children but volumes' claims and credentials, which outlive it. Default: none. */
  readonly owner?: Owner;
  /**
   * Who makes members anew when their pods' template changes. With `OnDelete` nobody does until their pods are deleted: for
   * whoever restarts members in an order of his own, as the operator does. To change it restarts nothing. Default:
   * "RollingUpdate", by the StatefulSet's controller.
   */
  readonly updateStrategy?: UpdateStrategy;
  /**
   * Asks for a last backup, by the Job `<name>-backup-final`, while the schedule rests; another text asks for another one.
   * Needs `backup.enabled`. Default: none.
   */
  readonly finalBackup?: string;
}

/** A database: `new Database("<name>", args)`. Every child's name is made from `<name>` (see naming.ts). */
export class Database extends pulumi.ComponentResource {
  /** Host of the read-write Service. */
  readonly host: pulumi.Output<string>;
  /** Name of the Secret with username, password, host, port, database and uri. */
  readonly credentialsSecret: pulumi.Output<string>;

  /**
   * Throws an Error that says what to do when the name, the number of members or a parameter is impossible, or when the
   * engine is not available.
   */
  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Database", name, {}, opts);
    const settings = settingsOf(name, args);
    const engine = requireEngine(settings);
    refuseProblems(settings, engine);
    this.makeParts(settings, engine, args.passwords);
    this.host = pulumi.output(hostOf(name, settings.namespace));
    this.credentialsSecret = pulumi.output(credentialsSecretName(name));
    this.registerOutputs({ host: this.host, credentialsSecret: this.credentialsSecret });
  }

  private makeParts(settings: Settings, engine: Engine, passwords: Passwords): void {
    const { name } = settings;
    const parent = { parent: this };
    // The longest chain of children that wait for each other begins here.
    const access = new Access(name, { settings, engine }, parent);
    const credentials = new Credentials(name, { settings, engine, passwords }, parent);
    const configuration = new Configuration(name, { settings, engine }, parent);
    const services = new Services(name, { settings, engine }, parent);
    // A pod that is rolled must find the new parameters, and a first pod all that it mounts: so these come before.
    new Workload(name, { settings, engine, after: [credentials, configuration, access.account, services] }, parent);
    // Its pod waits for a primary by itself.
    new Initialization(name, { settings, engine, after: [credentials, access.jobAccount] }, parent);
    new Network(name, { settings, engine }, parent);
    if (settings.replicas > 1) new DisruptionBudget(name, { settings }, parent);
    if (settings.backup.enabled) {
      new Backup(name, { settings, engine, after: [credentials, access.jobAccount] }, parent);
    }
    if (settings.monitoring.enabled && settings.monitoring.serviceMonitor) {
      new Monitoring(name, { settings, engine }, parent);
    }
  }
}

function requireEngine(settings: Settings): Engine {
  const found = engineOf(settings.engine);
  if (found.kind === "unavailable") throw new Error(`Database "${settings.name}": ${found.message}`);
  return found.engine;
}

/** Refuses what the API would refuse, for programs that use the component without the operator. */
function refuseProblems(settings: Settings, engine: Engine): void {
  const problems = [nameProblem(settings.name)];
  if (!Number.isInteger(settings.replicas) || settings.replicas < 1 || settings.replicas > engine.mostMembers) {
    problems.push(`replicas is ${settings.replicas}; it must be a whole number from 1 to ${engine.mostMembers}`);
  }
  if (!Number.isInteger(settings.backup.retention) || settings.backup.retention < 1) {
    problems.push(`backup.retention is ${settings.backup.retention}; it must be a whole number from 1`);
  }
  if (settings.finalBackup !== undefined && !settings.backup.enabled) {
    problems.push("finalBackup needs backup.enabled: true, for there is no volume to put it on");
  }
  problems.push(superuserProblem(settings), synchronousProblem(settings));
  problems.push(...engine.parameterProblems(settings.config, settings.version).map(({ message }) => message));
  problems.push(...engine.memoryProblems(settings).map(({ message }) => message));
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new Error(`Database "${settings.name}": ${found.join("; ")}`);
}

function superuserProblem({ engine, superuserAccess }: Settings): string | undefined {
  return superuserAccess !== undefined && engine === "mongodb"
    ? "superuserAccess is for PostgreSQL and MySQL: root of MongoDB may always connect over the network, as its init Job does"
    : undefined;
}

function synchronousProblem({ engine, replicas, synchronousCommit, synchronous }: Settings): string | undefined {
  const { members, strict } = synchronous;
  if (members === synchronousDefaults.members && strict === synchronousDefaults.strict) return undefined;
  if (engine !== "postgresql" || !synchronousCommit)
    return "synchronous says how PostgreSQL's commits wait, with synchronousCommit: true only";
  return Number.isInteger(members) && members >= 1 && members < replicas
    ? undefined
    : `synchronous.members is ${members}; it must be a whole number from 1, and less than replicas`;
}
