// Whether each alert fires when it should, and only then: promtool's own unit tests of rules, on scripted series.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { alertGroups, type AlertName, type AlertingRule } from "../../infra/monitoring/alerts";
import { CommandError } from "../../tools/host/command";
import { ensurePrometheus, promtool } from "../harness/prometheus";
import {
  applying,
  certificate,
  condition,
  connections,
  connectionsOfMysql,
  cronJob,
  drilled,
  failures,
  hourly,
  known,
  leads,
  member,
  orders,
  scheduled,
  volume,
  waiting,
  type Series,
  type Case,
} from "./alert-series";

const groups = alertGroups({ runbooks: "docs/runbooks.md" });
const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));
const files = { "rules.yaml": { groups } };

let verdicts: ReadonlyMap<number, string>;

before(async () => {
  await ensurePrometheus();
  verdicts = await judge();
});

const cases: Readonly<Record<AlertName, Case>> = {
  DatabaseOperatorNotLeading: {
    alarming: { [leads("a")]: "1 0x600", [leads("b")]: "0x600" },
    harmless: { "one stands by": { [leads("a")]: "1x600", [leads("b")]: "0x600" } },
    firesAt: 6,
    labels: {},
  },
  DatabaseOperatorReconcileErrors: {
    alarming: { [failures()]: "0+1x30 30+0x600" },
    harmless: {
      "one attempt failed": { [failures()]: "0x10 1x600" },
      "another operator's controller has that name": { [failures('job="another"')]: "0+1x600" },
    },
    firesAt: 25,
    labels: {},
  },
  DatabaseNotReady: {
    alarming: { [condition("Ready", "False", "WaitingForMembers")]: "1x600" },
    harmless: {
      "it is ready": { [condition("Ready", "True", "AllReplicasReady")]: "1x600" },
      "it is being deleted": { [condition("Ready", "False", "Deleting")]: "1x600" },
      "it was not ready for ten minutes": { [condition("Ready", "False", "WaitingForMembers")]: "1x10 stale" },
      "it is another's metric": { [condition("Ready", "False", "x", 'job="another"')]: "1x600" },
    },
    firesAt: 15,
    labels: orders,
  },
  DatabaseStalled: {
    alarming: { [condition("Stalled", "True", "SpecInvalid")]: "1x600" },
    harmless: {
      "nothing needs attention": { [condition("Stalled", "False", "NotStalled")]: "1x600" },
      "it is paused": { [condition("Stalled", "False", "Paused")]: "1x600" },
    },
    firesAt: 15,
    labels: { ...orders, reason: "SpecInvalid" },
  },
  DatabaseChangesAwaitApproval: {
    alarming: { [condition("ChangePending", "True", "AwaitingApproval")]: "1x600", [waiting]: "-90000x600" },
    harmless: {
      "it has waited for an hour": {
        [condition("ChangePending", "True", "AwaitingApproval")]: "1x600",
        [waiting]: "-3600x600",
      },
      "it waits for a window": {
        [condition("ChangePending", "True", "AwaitingWindow")]: "1x600",
        [waiting]: "-90000x600",
      },
    },
    firesAt: 5,
    labels: { effect: "Switchover" },
    also: {
      "where the approval does not count": {
        alarming: { [condition("ChangePending", "True", "ApprovalVoid")]: "1x600", [waiting]: "-90000x600" },
        firesAt: 5,
      },
    },
  },
  DatabaseChangeNotPreviewed: {
    alarming: { [condition("ChangePending", "True", "PreviewFailed")]: "1x600" },
    harmless: { "it waits for a person": { [condition("ChangePending", "True", "AwaitingApproval")]: "1x600" } },
    firesAt: 60,
    labels: orders,
  },
  DatabaseBackupFailed: {
    alarming: { [condition("BackupReady", "False", "BackupFailed")]: "1x600" },
    harmless: {
      "backups are switched off": { [condition("BackupReady", "False", "BackupDisabled")]: "1x600" },
      "the last one succeeded": { [condition("BackupReady", "True", "BackupSucceeded")]: "1x600" },
    },
    firesAt: 5,
    labels: orders,
  },
  DatabaseBackupOverdue: {
    alarming: { ...known, [scheduled("schedule")]: "7200x600", [scheduled("successful")]: "3600x600" },
    harmless: {
      "each one succeeds within the hour": {
        ...known,
        [scheduled("schedule")]: hourly(0),
        [scheduled("successful")]: `0x9 ${hourly(60)}`,
      },
      "the CronJob is new": { ...known, [`kube_cronjob_created{${cronJob}}`]: "3600x600" },
      "it is no Database's": { [scheduled("schedule")]: "7200x600", [scheduled("successful")]: "3600x600" },
    },
    firesAt: 480,
    labels: { ...orders, cronjob: "orders-backup" },
  },
  DatabaseBackupNotRestorable: {
    alarming: { [condition("BackupVerified", "False", "QueryFailed")]: "1x600" },
    harmless: {
      "none has been restored yet": { [condition("BackupVerified", "Unknown", "NotYetVerified")]: "1x600" },
      "the drill could not take place": {
        [condition("BackupVerified", "Unknown", "VerificationNotPossible")]: "1x600",
      },
      "it was restored": { [condition("BackupVerified", "True", "BackupRestored")]: "1x600" },
    },
    firesAt: 5,
    labels: { ...orders, reason: "QueryFailed" },
  },
  DatabaseDrillOverdue: {
    alarming: { ...known, [drilled("schedule")]: "7200x600", [drilled("successful")]: "3600x600" },
    harmless: {
      "each one passes within the hour": {
        ...known,
        [drilled("schedule")]: hourly(0),
        [drilled("successful")]: `0x9 ${hourly(60)}`,
      },
      "it is no Database's": { [drilled("schedule")]: "7200x600", [drilled("successful")]: "3600x600" },
    },
    firesAt: 480,
    labels: { ...orders, cronjob: "orders-verify" },
  },
  DatabaseArchiveNotReady: {
    alarming: { [condition("ArchiveReady", "False", "ArchiveWaiting")]: "1x600" },
    harmless: {
      "a new one has not said anything yet": { [condition("ArchiveReady", "False", "ArchivePending")]: "1x600" },
      "it arrives": { [condition("ArchiveReady", "True", "ArchiveArriving")]: "1x600" },
    },
    firesAt: 15,
    labels: orders,
    also: {
      "of WAL that was given up": {
        alarming: { [condition("ArchiveReady", "False", "ArchiveGap")]: "1x600" },
        firesAt: 15,
      },
    },
  },
  DatabaseReplicaNotStreaming: {
    alarming: { [condition("ReplicationReady", "False", "ReplicaNotStreaming")]: "1x600" },
    harmless: {
      "all replicas stream": { [condition("ReplicationReady", "True", "ReplicasStreaming")]: "1x600" },
      "there is one member only": { [condition("ReplicationReady", "False", "NoReplicas")]: "1x600" },
      "one has just come back": {
        [condition("ReplicationReady", "False", "ReplicaNotStreaming")]: "1x5 stale",
        [condition("ReplicationReady", "True", "ReplicasStreaming")]: "_x5 1x600",
      },
    },
    firesAt: 10,
    labels: orders,
  },
  DatabaseStorageFull: {
    alarming: { [condition("StorageReady", "False", "Full")]: "1x600" },
    harmless: {
      "it fills up": { [condition("StorageReady", "False", "FillingUp")]: "1x600" },
      "it has grown": {
        [condition("StorageReady", "False", "Full")]: "1x3 stale",
        [condition("StorageReady", "True", "StorageSufficient")]: "_x3 1x600",
      },
    },
    firesAt: 5,
    labels: orders,
  },
  DatabaseStorageNotGrowing: {
    alarming: { [condition("StorageReady", "False", "MaxSizeReached")]: "1x600" },
    harmless: {
      "it grows, or is only watched": { [condition("StorageReady", "False", "FillingUp")]: "1x600" },
    },
    firesAt: 15,
    labels: orders,
    also: {
      "of a class that lets no volume grow": {
        alarming: { [condition("StorageReady", "False", "GrowthNotPossible")]: "1x600" },
        firesAt: 15,
      },
    },
  },
  DatabaseCertificateExpires: {
    alarming: { [certificate]: "1000000x600" },
    harmless: {
      "it is renewed 30 days before": { [certificate]: "2592000x600" },
    },
    firesAt: 60,
    labels: orders,
  },
  DatabaseReplicationLag: {
    alarming: { [`pg_replication_lag_seconds{${member}}`]: "90x600" },
    harmless: {
      "it is 30 seconds behind": { [`pg_replication_lag_seconds{${member}}`]: "30x600" },
      "MySQL applies what was just committed": { [applying(1)]: "1+60x600", [applying(2)]: "0x600" },
      "MySQL applies nothing": { [applying(1)]: "0x600" },
      "it is no Database's": { 'pg_replication_lag_seconds{namespace="shop",pod="other-0"}': "90x600" },
    },
    firesAt: 10,
    labels: { namespace: "shop", database: "orders", pod: "orders-1" },
    // at minute 5 it is between two transactions; it is a minute behind from minute 2 on
    also: {
      MySQL: { alarming: { [applying(1)]: "1x4 0 1x600", [applying(2)]: "0x600" }, firesAt: 12 },
      MongoDB: { alarming: { [`mongodb_replication_lag_seconds{${member}}`]: "90x600" }, firesAt: 10 },
    },
  },
  DatabaseConnectionsNearLimit: {
    alarming: connections("95x600"),
    harmless: {
      "half of them are in use": connections("50x600"),
      "half of MySQL's are in use": connectionsOfMysql("50x600"),
    },
    firesAt: 10,
    labels: { namespace: "shop", database: "orders", pod: "orders-1" },
    also: { MySQL: { alarming: connectionsOfMysql("95x600"), firesAt: 10 } },
  },
  DatabaseVolumeNearlyFull: {
    alarming: {
      ...known,
      [volume("available", "data-orders-0")]: "5x600",
      [volume("capacity", "data-orders-0")]: "100x600",
    },
    harmless: {
      "a quarter is free": {
        ...known,
        [volume("available", "data-orders-0")]: "25x600",
        [volume("capacity", "data-orders-0")]: "100x600",
      },
      "it is no Database's": {
        [volume("available", "data-orders-0")]: "5x600",
        [volume("capacity", "data-orders-0")]: "100x600",
      },
    },
    firesAt: 15,
    labels: { ...orders, persistentvolumeclaim: "data-orders-0" },
  },
};

/** What promtool must check at a minute: that `rule` fires with these labels, or that it does not. */
function checkAt(minute: number, rule: AlertingRule, labels?: Readonly<Record<string, string>>): unknown {
  const fires = labels && { exp_labels: { ...rule.labels, ...labels } };
  return { eval_time: `${minute}m`, alertname: rule.alert, exp_alerts: fires === undefined ? [] : [fires] };
}

/** The annotations are of no concern: promtool compares them where the labels are expected. */
const withoutAnnotations = { "rules.yaml": { groups: groups.map(bare) } };

function bare({ name, rules: ofGroup }: (typeof groups)[number]): unknown {
  return { name, rules: ofGroup.map(({ alert, expr, for: wait, labels }) => ({ alert, expr, for: wait, labels })) };
}

/** A file for `promtool test rules`. */
function fileOf(series: Series, checks: readonly unknown[]): unknown {
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const tests = [{ interval: "1m", input_series: input, alert_rule_test: checks }];
  return { rule_files: ["rules.yaml"], evaluation_interval: "1m", tests };
}

/** What each test is named, with the file that promtool judges. */
const scripts = new Map<string, unknown>();

for (const [name, { alarming, harmless, firesAt, labels, also = {} }] of Object.entries(cases)) {
  const rule = rules.get(name);
  assert.ok(rule);
  for (const [engine, wanted] of Object.entries({ "": { alarming, firesAt }, ...also })) {
    const early = checkAt(Math.floor(wanted.firesAt / 2), rule);
    const checks = [early, checkAt(wanted.firesAt + 1, rule, labels)];
    scripts.set(`${name} fires at its time and not before${engine && `: ${engine}`}`, fileOf(wanted.alarming, checks));
  }
  for (const [why, series] of Object.entries(harmless)) {
    const checks = [checkAt(firesAt + 5, rule), checkAt(firesAt + 60, rule)];
    scripts.set(`${name} does not fire where ${why}`, fileOf(series, checks));
  }
}

/** What promtool says of each script, by its number: all in one go, as each go takes longer than what is judged. */
async function judge(): Promise<ReadonlyMap<number, string>> {
  const written = [...scripts.values()].map((script, index) => [`${index}.yaml`, script] as const);
  const lines: string[] = [];
  const judged = promtool(["test", "rules", ...written.map(([file]) => file)], {
    files: { ...withoutAnnotations, ...Object.fromEntries(written) },
    log: (line) => lines.push(line),
  });
  // it fails with any of them; each test looks at its own
  await judged.catch((error: unknown) => {
    if (!(error instanceof CommandError) || error.code !== 1) throw error;
  });
  const [, ...parts] = lines.join("\n").split(/^Unit Testing: +(\d+)\.yaml$/m);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[Number(part), parts[index + 1] ?? ""]] : [])));
}

test("promtool finds no fault with the rules", async () => {
  assert.match(await promtool(["check", "rules", "rules.yaml"], { files }), /SUCCESS: \d+ rules found/);
});

for (const [index, sentence] of [...scripts.keys()].entries()) {
  test(sentence, () => {
    assert.equal(verdicts.get(index)?.trim(), "SUCCESS");
  });
}
