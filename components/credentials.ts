// The two Secrets of a Database: what applications connect with, and what the members use among themselves.
import * as k8s from "@pulumi/kubernetes";
import { application } from "../contract/defaults";
import type { Passwords } from "./args";
import * as pulumi from "@pulumi/pulumi";
import type { Engine } from "./engines/engine";
import { lastingMetadataOf } from "./metadata";
import { credentialsSecretName, hostOf, memberHostsOf, systemSecretKeys, systemSecretName } from "./naming";
import { backupKeyOf, sentByMembers } from "./object-storage";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

/** What `Credentials` is created from. */
export interface CredentialsArgs extends PartArgs {
  /** The passwords of all roles. */
  readonly passwords: Passwords;
}

type Values = Record<string, string>;

/** What applications find in `<name>-credentials`, in clear. */
export function credentialsOf(settings: Settings, engine: Engine, password: string): Values {
  const host = hostOf(settings.name, settings.namespace);
  const { username, database } = application;
  const members = memberHostsOf(settings.name, settings.namespace, settings.replicas);
  const uri = engine.uri({ username, password, host, members, database }, settings);
  return { username, password, host, port: String(engine.ports.client.port), database, uri };
}

type SystemPasswords = Readonly<Record<Exclude<keyof typeof systemSecretKeys, "backup">, string>>;

/** What the members find in `<name>-system`, in clear. */
export function systemValuesOf(passwords: SystemPasswords, hasBackupKey: boolean): Values {
  return {
    [systemSecretKeys.superuser]: passwords.superuser,
    [systemSecretKeys.replication]: passwords.replication,
    [systemSecretKeys.monitor]: passwords.monitor,
    [systemSecretKeys.rest]: passwords.rest,
    ...(hasBackupKey && { [systemSecretKeys.backup]: backupKeyOf(passwords.superuser) }),
  };
}

/** A Secret that outlives its owner. Its values are secret outputs, the rest is plain, so that a preview can show it. */
export function secretOf(settings: Settings, name: string, values: pulumi.Output<Values>): k8s.core.v1.SecretArgs {
  // `data`, not `stringData`: the API server turns `stringData` into `data`, and a refresh would show a difference.
  return { metadata: lastingMetadataOf(settings, name), type: "Opaque", data: values.apply(encoded) };
}

function encoded(values: Values): Values {
  const entries = Object.entries(values).map(([key, value]) => [key, Buffer.from(value, "utf8").toString("base64")]);
  return Object.fromEntries(entries) as Values;
}

/** The Secrets `<name>-credentials` and `<name>-system`; both outlive the stack. */
export class Credentials extends pulumi.ComponentResource {
  constructor(name: string, args: CredentialsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Credentials", name, {}, opts);
    const { settings, engine } = args;
    const { app, superuser, replication, monitor, rest } = args.passwords;
    const child = { parent: this, retainOnDelete: true, dependsOn: [...(args.after ?? [])] };
    const forApplications = pulumi.secret(app).apply((password) => credentialsOf(settings, engine, password));
    const hasBackupKey = sentByMembers(settings) !== undefined;
    const members = pulumi
      .secret({ superuser, replication, monitor, rest })
      .apply((passwords) => systemValuesOf(passwords, hasBackupKey));
    for (const [secret, values] of [
      [credentialsSecretName(name), forApplications],
      [systemSecretName(name), members],
    ] as const) {
      new k8s.core.v1.Secret(secret, secretOf(settings, secret, values), child);
    }
    this.registerOutputs({});
  }
}
