// PostgreSQL on a real node when the members cannot know what is right, and a person decides.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { uidOf } from "../../drift/children";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { withoutRoom } from "../../harness/nodes";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";

const namespace = "decision";
const place = [namespace, "orders"] as const;
const members = ["orders-0", "orders-1"] as const;

export const decision = story(namespace, (stage) => {
  const patronictl = (pod: string, ...args: string[]): Promise<string> =>
    stage.kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", "patronictl", ...args);

  /** As the superuser, in a member's container. */
  const askMember = (pod: string, statement: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, statement);

  /** The uid of a member's claim; empty where it has none. */
  const claimOf = async (pod: string): Promise<string> => {
    const claim = await stage.kubectl.find("pvc", `data-${pod}`, namespace);
    return claim === undefined ? "" : uidOf(claim);
  };

  const rolesNow = async (): Promise<{ readonly primary: string; readonly replica: string }> => {
    const [{ name: primary } = { name: "" }] = await labelledPrimaries(stage.kubectl, place);
    return { primary, replica: members.find((member) => member !== primary) ?? "" };
  };

  const remove = (...args: string[]): Promise<string> => stage.kubectl("delete", "-n", namespace, ...args);

  rotating(
    "postgresql-decision",
    () => {
      const applyWith = async (highAvailability: Record<string, unknown>): Promise<void> => {
        const { version } = builtVersion(stage.platform, "postgresql");
        const spec = { version, storage: "2Gi", replicas: 2, highAvailability, backup: { enabled: false } };
        await stage.kubectl.apply(modestDatabase("orders", namespace, spec));
      };

      const namesAre = (primary: string, expected: RegExp): Promise<void> =>
        eventually(async () => {
          assert.match(await askMember(primary, "show synchronous_standby_names"), expected);
        }, minutes(1));

      before(async () => {
        await applyWith({ synchronousCommit: true });
        await untilReady(stage.kubectl, place, minutes(6));
      });

      test("commits become strict and no member restarts: while the only replica is down a commit waits, and returns once it is back", async () => {
        const pods = (): Promise<string> => {
          const path = "jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount} {end}";
          return stage.kubectl("get", "pods", "-n", namespace, "-l", "database=orders", "-o", path);
        };
        const { primary, replica } = await rolesNow();
        await namesAre(primary, /./);
        await askMember(primary, "create table strict (number int)");
        const was = await pods();
        await applyWith({ synchronousCommit: true, synchronous: { strict: true } });
        await eventually(async () => {
          assert.match(await patronictl(replica, "show-config"), /synchronous_mode_strict: true/);
        }, minutes(1));
        assert.equal(await pods(), was);

        let isAnswered = false;
        let commit = Promise.resolve("");
        await withoutRoom(stage.kubectl, async () => {
          await remove("pod", replica, "--timeout=60s");
          // any replica: without strict no commit would wait now
          await namesAre(primary, /^\*$/);
          commit = askMember(primary, "insert into strict values (1)").finally(() => {
            isAnswered = true;
          });
          await eventually(async () => {
            const waiting = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'";
            assert.equal(await askMember(primary, waiting), "1");
          }, minutes(1));
          assert.equal(await askMember(primary, "select count(*) from strict"), "0");
          assert.equal(isAnswered, false);
        });
        await commit;
        await eventually(async () => {
          assert.equal(await askMember(replica, "select count(*) from strict"), "1");
        }, minutes(1));
        await applyWith({ synchronousCommit: true });
        await eventually(async () => {
          assert.doesNotMatch(await patronictl(primary, "show-config"), /synchronous_mode_strict/);
        }, minutes(1));
        await untilReady(stage.kubectl, place, minutes(2));
      });

      test("the only member with all commits is lost for good: no other leads, until a person says which; that one serves, the lost one copies it", async () => {
        const { primary, replica } = await rolesNow();
        await eventually(async () => {
          assert.notEqual(await askMember(primary, "show synchronous_standby_names"), "");
        }, minutes(1));
        await askMember(primary, "create table items as select generate_series(1, 100) as id");
        await withoutRoom(stage.kubectl, async () => {
          await remove("pod", replica, "--timeout=60s");
          // no replica is left to wait for
          await askMember(primary, "insert into items select generate_series(101, 200)");
          const lost = await claimOf(primary);
          await remove("pvc", `data-${primary}`, "--wait=false");
          await remove("pod", primary, "--force", "--grace-period=0");
          await eventually(async () => {
            assert.notEqual(await claimOf(primary), lost);
          }, minutes(1));
        });
        await eventually(async () => {
          const log = await stage.kubectl("logs", "-n", namespace, replica, "-c", "postgresql");
          assert.match(log, /i am not the healthiest node/);
        }, minutes(2));
        assert.doesNotMatch(await patronictl(replica, "list"), /Leader/);
        const waiting = { type: "Ready", status: "False", reason: "WaitingForPrimary" };
        await untilCondition(stage.kubectl, place, waiting, minutes(1));
        assert.equal(await askMember(replica, "select pg_is_in_recovery(), count(*) from items"), "t|100");

        // as docs/databases/choose-primary.md describes it
        const position = "SELECT pg_last_wal_replay_lsn(), pg_last_xact_replay_timestamp()";
        assert.match(await askMember(replica, position), /^[0-9A-F]+\/[0-9A-F]+\|\d{4}-/);
        await patronictl(replica, "failover", "orders", "--candidate", replica, "--force");

        await untilReady(stage.kubectl, place, minutes(3));
        await askMember(replica, "insert into items values (101)");
        await eventually(async () => {
          assert.equal(await askMember(primary, "select pg_is_in_recovery(), count(*) from items"), "t|101");
        }, minutes(1));
      });

      /** Both members end, and only the primary has all rows; while `act` runs the replica alone comes back. Returns the primary. */
      const endBoth = async (table: string, act: (replica: string) => Promise<void>): Promise<string> => {
        const { primary, replica } = await rolesNow();
        await askMember(primary, `create table ${table} as select generate_series(1, 100) as id`);
        await eventually(async () => {
          assert.equal(await askMember(replica, `select count(*) from ${table}`), "100");
        }, minutes(1));
        // a pod with a finalizer ends, and no other has its name until it is taken off
        const keep = (finalizers: readonly string[]): Promise<string> => {
          const change = JSON.stringify({ metadata: { finalizers } });
          return stage.kubectl("patch", "pod", primary, "-n", namespace, "--type=merge", "-p", change);
        };
        await keep(["example.com/kept-away"]);
        try {
          await withoutRoom(stage.kubectl, async () => {
            await remove("pod", replica, "--timeout=60s");
            await askMember(primary, `insert into ${table} select generate_series(101, 200)`);
            await remove("pod", primary, "--wait=false");
            await eventually(async () => {
              const path = "jsonpath={.status.containerStatuses[*].state.running}";
              assert.equal(await stage.kubectl("get", "pod", primary, "-n", namespace, "-o", path), "");
            }, minutes(2));
          });
          await act(replica);
        } finally {
          await keep([]);
        }
        return primary;
      };

      /** One of them leads, the other one follows it, and both have as many rows. */
      const bothHave = (table: string, rows: number): Promise<void> =>
        eventually(async () => {
          const statement = `select pg_is_in_recovery(), count(*) from ${table}`;
          const found = await Promise.all(members.map((member) => askMember(member, statement)));
          assert.deepEqual(found.sort(), [`f|${rows}`, `t|${rows}`]);
        }, minutes(2));

      test("after an outage of all members one that lacks rows waits for the former primary, and nothing that was acknowledged is lost", async () => {
        await applyWith({});
        const { primary } = await rolesNow();
        // the members read how to commit when all have ended, and nobody changes it then
        await eventually(async () => {
          assert.match(await patronictl(primary, "show-config"), /synchronous_mode: false/);
        }, minutes(1));
        const former = await endBoth("kept", async (replica) => {
          await eventually(async () => {
            const log = await stage.kubectl("logs", "-n", namespace, replica, "-c", "postgresql");
            assert.match(log, /the former leader had \d+ bytes of WAL more/);
          }, minutes(1));
        });
        await bothHave("kept", 200);
        const [leader] = await labelledPrimaries(stage.kubectl, place);
        assert.equal(leader?.name, former);
        await untilReady(stage.kubectl, place, minutes(2));
      });

      test("where the former primary does not come back, that member leads once the lease would have run out", async () => {
        await endBoth("given_up", async (replica) => {
          await eventually(async () => {
            assert.equal(await askMember(replica, "select pg_is_in_recovery(), count(*) from given_up"), "f|100");
          }, minutes(1));
        });
        await bothHave("given_up", 100);
        await untilReady(stage.kubectl, place, minutes(2));
      });
    },
    4,
  );
});
