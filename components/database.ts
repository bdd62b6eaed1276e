// A highly available, backed-up, monitored database as one component, composed of parts that are components themselves.
import * as pulumi from "@pulumi/pulumi";
import { Access } from "./access";
import { Archive, archivePodOf } from "./archive";
import { isArchived } from "./archiving";
import { Backup, lastBackupOf } from "./backup";
import { Configuration } from "./configuration";
import { Credentials } from "./credentials";
import { DisruptionBudget } from "./disruption";
import { engineOf } from "./engines/available";
import type { Engine } from "./engines/engine";
import { Initialization } from "./initialization";
import { Monitoring } from "./monitoring";
import { credentialsSecretName, hostOf, nameProblem } from "./naming";
import { Network } from "./network";
import { ServerCertificates } from "./server-certificates";
import { Services } from "./services";
import type { PartArgs } from "./part";
import { Restore, restorePodOf } from "./restore";
import type { Certificates, Passwords, DatabaseArgs } from "./args";
import { duringUpgrade, settingsOf, type Settings } from "./settings";
import { synchronousDefaults } from "../contract/defaults";
import { enginesThat, factsOf, maxMembersOf, titlesOf, whoseSuperuserIsClosable } from "../contract/engines";
import { hasTls } from "./tls";
import { Upgrade, upgradePodOf } from "./upgrade";
import { Verification, drillPodOf, drillsOf } from "./verification";
import { Workload } from "./workload";

/** A database: `new Database("<name>", args)`. Every child's name is built from `<name>` (see naming.ts). */
export class Database extends pulumi.ComponentResource {
  /** Host of the read-write Service. */
  readonly host: pulumi.Output<string>;
  /** Name of the Secret with username, password, host, port, database and uri. */
  readonly credentialsSecret: pulumi.Output<string>;

  /** Throws an Error that says what to do when the name, the number of members or a parameter is impossible. */
  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Database", name, {}, opts);
    const settings = settingsOf(name, args);
    const engine = engineOf(settings.engine);
    refuseProblems(settings, engine, args.certificates);
    this.makeParts(settings, engine, args);
    this.host = pulumi.output(hostOf(name, settings.namespace));
    this.credentialsSecret = pulumi.output(credentialsSecretName(name));
    this.registerOutputs({ host: this.host, credentialsSecret: this.credentialsSecret });
  }

  private makeParts(settings: Settings, engine: Engine, { passwords, certificates }: Given): void {
    const { name } = settings;
    const parent = { parent: this };
    // The longest chain of children that wait for each other begins here.
    const access = new Access(name, { settings, engine }, parent);
    const tls =
      certificates === undefined || !hasTls(settings)
        ? []
        : [new ServerCertificates(name, { settings, engine, certificates }, parent)];
    // where these are, a certificate is: else the Database would count as older than TLS, should what made it be lost midway
    const credentials = new Credentials(name, { settings, engine, passwords, after: tls }, parent);
    const present = duringUpgrade(settings);
    const configuration = new Configuration(name, { settings: present, engine }, parent);
    const services = new Services(name, { settings: present, engine }, parent);
    // A pod that is rolled must find the new parameters, and a first pod all that it mounts: so these come before.
    const members = new Workload(
      name,
      { settings, engine, after: [credentials, ...tls, configuration, access.account, services] },
      parent,
    );
    new Network(name, { settings, engine }, parent);
    if (settings.replicas > 1) new DisruptionBudget(name, { settings }, parent);
    const jobArgs = { settings, engine, after: [credentials, ...tls, access.jobAccount] };
    const { restore: source } = settings;
    const pod = source && restorePodOf(settings, engine, source);
    if (source === undefined || pod === undefined) this.makeJobs(jobArgs, members, parent);
    else new Restore(name, { ...jobArgs, source, pod }, parent);
    this.makeUpgrade(jobArgs, parent);
    if (settings.monitoring.enabled && settings.monitoring.serviceMonitor) {
      new Monitoring(name, { settings, engine }, parent);
    }
  }

  private makeUpgrade(args: PartArgs, parent: pulumi.ComponentResourceOptions): void {
    const { settings, engine } = args;
    const { job } = settings.upgrade ?? {};
    const pod = job && upgradePodOf(settings, engine, job);
    if (job !== undefined && pod !== undefined) new Upgrade(settings.name, { ...args, job, pod }, parent);
  }

  /** Their pods wait for a primary by themselves. */
  private makeJobs(args: PartArgs, members: Workload, parent: pulumi.ComponentResourceOptions): void {
    const { name, backup } = args.settings;
    const initialization = new Initialization(name, args, parent);
    if (!backup.enabled) return;
    // on a full node the pod of the first backup must not have the room for which what it waits for waits
    const backups = new Backup(name, { ...args, after: [...(args.after ?? []), members, initialization] }, parent);
    const keeper = isArchived(args.settings) ? archivePodOf(args.settings, args.engine) : undefined;
    if (keeper !== undefined)
      new Archive(name, { ...args, pod: keeper, after: [...(args.after ?? []), backups.place] }, parent);
    const drills = drillsOf(args.settings);
    if (drills === undefined) return;
    const pod = drillPodOf(args.settings, args.engine, drills);
    new Verification(name, { ...args, drills, pod, after: [...(args.after ?? []), backups.place] }, parent);
  }
}

type Given = Pick<DatabaseArgs, "certificates"> & { readonly passwords: Passwords };

/** Refuses what the API would refuse, for programs that use the component without the operator. */
function refuseProblems(settings: Settings, engine: Engine, certificates: Certificates | undefined): void {
  const problems = [nameProblem(settings.name)];
  if (!Number.isInteger(settings.replicas) || settings.replicas < 1 || settings.replicas > maxMembersOf(engine.name)) {
    problems.push(`replicas is ${settings.replicas}; it must be a whole number from 1 to ${maxMembersOf(engine.name)}`);
  }
  if (!Number.isInteger(settings.backup.retention) || settings.backup.retention < 1) {
    problems.push(`backup.retention is ${settings.backup.retention}; it must be a whole number from 1`);
  }
  if (lastBackupOf(settings) !== undefined && !settings.backup.enabled) {
    problems.push("a last backup needs backup.enabled: true, because there is no volume for it otherwise");
  }
  problems.push(restoreProblem(settings), superuserProblem(settings), synchronousProblem(settings));
  problems.push(tlsProblem(settings, certificates));
  problems.push(objectStorageProblem(settings), archiveProblem(settings), upgradeProblem(settings, engine));
  problems.push(...engine.parameterProblems(settings.config, settings.version).map(({ message }) => message));
  problems.push(...engine.memoryProblems(settings).map(({ message }) => message));
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new Error(`Database "${settings.name}": ${found.join("; ")}`);
}

function restoreProblem({ engine, restore }: Settings): string | undefined {
  return restore !== undefined && "stored" in restore && !storing.includes(engine)
    ? `restore.stored is for ${titlesOf(storing)}: name the claim of a volume`
    : undefined;
}

/** Engines whose backups go to object storage. */
const storing = enginesThat(({ backsUpTo }) => backsUpTo === "object storage");

function superuserProblem({ engine, superuserAccess }: Settings): string | undefined {
  return superuserAccess !== undefined && !factsOf(engine).superuser.isClosable
    ? `superuserAccess ${whoseSuperuserIsClosable()}`
    : undefined;
}

function tlsProblem(settings: Settings, certificates: Certificates | undefined): string | undefined {
  if (!hasTls(settings)) return undefined;
  if (!factsOf(settings.engine).canHaveTls)
    return `tls is for ${titlesOf(enginesThat(({ canHaveTls }) => canHaveTls))}`;
  return certificates === undefined ? `tls: "${settings.tls}" needs certificates` : undefined;
}

function objectStorageProblem(settings: Settings): string | undefined {
  const { engine, backup } = settings;
  if (backup.s3 === undefined) return undefined;
  if (!storing.includes(engine)) return `backup.s3 is for ${titlesOf(storing)}`;
  return Object.values(backup.s3).some((value) => /\p{Cc}/u.test(String(value)))
    ? "backup.s3 must not have control characters: its texts become lines of a file"
    : undefined;
}

function archiveProblem({ engine, backup }: Settings): string | undefined {
  const able = enginesThat(({ keepsChanges }) => keepsChanges.includes("on the backup volume"));
  return backup.pointInTime === true && backup.s3 === undefined && !able.includes(engine)
    ? `backup.pointInTime is for ${titlesOf(able)}`
    : undefined;
}

function upgradeProblem({ upgrade, backup, restore }: Settings, engine: Engine): string | undefined {
  if (upgrade === undefined) return undefined;
  if (engine.upgradeProgram === undefined) return `upgrade is not for ${titlesOf([engine.name])}`;
  if (restore !== undefined)
    return "upgrade and restore exclude each other: leave restore out once its Job has succeeded";
  const hasVolume = backup.enabled && backup.s3 === undefined;
  return upgrade.job?.act === "rehearse" && !hasVolume
    ? "an upgrade is rehearsed with a backup on a volume: switch such backups on"
    : undefined;
}

function synchronousProblem({ engine, replicas, synchronousCommit, synchronous }: Settings): string | undefined {
  const { members, strict } = synchronous;
  if (members === synchronousDefaults.members && strict === synchronousDefaults.strict) return undefined;
  if (factsOf(engine).commits !== "as set" || !synchronousCommit) {
    const titles = titlesOf(enginesThat(({ commits }) => commits === "as set"));
    return `synchronous says how ${titles}'s commits wait, with synchronousCommit: true only`;
  }
  return Number.isInteger(members) && members >= 1 && members < replicas
    ? undefined
    : `synchronous.members is ${members}; it must be a whole number from 1, and less than replicas`;
}
