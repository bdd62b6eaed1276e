// Another release of the operator takes over from the one before, whose members it would declare otherwise: a Database of each engine restarts
// once a person has agreed, and not before. There is no earlier image to be had: the release before is this one with another zone's weight.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import type { EngineName } from "../../../contract/engines";
import { freePorts } from "../../../tools/host/ports";
import { approve, pendingOf, untilWaits, type Place } from "../../harness/approvals";
import { untilReady } from "../../harness/database";
import { consistently, eventually, minutes } from "../../harness/eventually";
import { installLocalWebhooks } from "../../harness/local-webhooks";
import { startOperatorProcess, type OperatorProcess } from "../../harness/operator-process";
import { otherRelease, type OtherRelease } from "../../harness/other-release";
import { readMember, type ShownMember } from "../../harness/pods";
import { rotatingStory } from "../story";
import { ReleasedDatabases } from "./released-databases";

const namespace = "release";
const releasePolicy = { requireApproval: ["RollingRestart", "Switchover", "Downtime"] };

/** What the release does to a Database of each engine, with as many members as these have. */
const told = { postgresql: "Switchover", mysql: "Downtime", mongodb: "Downtime" } as const;
const engines = ["postgresql", "mysql", "mongodb"] as const satisfies readonly EngineName[];
const members: readonly string[] = ["postgresql-0", "postgresql-1", "mysql-0", "mongodb-0"];
const placeOf = (engine: EngineName): Place => [namespace, engine];

export const release = rotatingStory(namespace, 4, (stage) => {
  let databases: ReleasedDatabases;
  let former: OtherRelease;
  let operator: OperatorProcess | undefined;
  let settings: Readonly<Record<string, string>>;
  /** As the release before left them. */
  let untouched: readonly ShownMember[];

  before(async () => {
    const [port] = await freePorts();
    databases = new ReleasedDatabases(stage.platform, namespace);
    await installLocalWebhooks(stage.kubectl, { port, timeoutSeconds: 30 });
    settings = {
      DATABASE_OPERATOR_WEBHOOK_PORT: String(port),
      DATABASE_OPERATOR_PREVIEW_API: "true",
      DATABASE_OPERATOR_APPROVALS: "true",
      DATABASE_OPERATOR_RELEASE_POLICY: JSON.stringify(releasePolicy),
    };
    former = await otherRelease();
    await stage.operator.stop();
    const environment = { ...stage.platform.operatorEnvironment, ...settings };
    operator = await startOperatorProcess({ environment, program: former.program });
    for (const engine of engines) await databases.apply(engine);
    for (const engine of engines) await untilReady(stage.kubectl, placeOf(engine), minutes(5));
    untouched = await membersNow();
  });
  after(async () => {
    await operator?.stop();
    await former.forget();
  });

  const membersNow = (): Promise<readonly ShownMember[]> =>
    Promise.all(members.map((name) => readMember(stage.kubectl, namespace, name)));

  test("with the release before a Database of each engine keeps a row", async () => {
    for (const engine of engines) {
      await databases.addRow(engine, 1);
      assert.equal(await databases.rows(engine), 1, engine);
    }
  });

  test("the next one restarts no member: each Database waits, says what would happen to it, and serves", async () => {
    await operator?.stop();
    operator = undefined;
    await stage.operator.start(settings);
    for (const engine of engines) {
      const { effect, waitsFor } = await untilWaits(stage.kubectl, placeOf(engine));
      assert.deepEqual([effect, waitsFor], [told[engine], ["Approval"]], engine);
    }
    await consistently(async () => {
      assert.deepEqual(await membersNow(), untouched);
    }, 10_000);
    for (const engine of engines) {
      await databases.addRow(engine, 2);
      assert.equal(await databases.rows(engine), 2, engine);
    }
  });

  test("what is edited meanwhile is carried out beside it, and the release waits on", async () => {
    await databases.apply("postgresql", { config: { work_mem: "9MB" } });
    await eventually(async () => {
      assert.equal(await databases.workMem(), "9MB");
    }, minutes(1));
    assert.equal((await untilWaits(stage.kubectl, placeOf("postgresql"))).effect, told.postgresql);
    assert.deepEqual(await membersNow(), untouched);
  });

  test("what is approved restarts as it was told, one Database at a time in the order of the approvals, and has its rows", async () => {
    let sofar = untouched;
    for (const engine of engines) {
      const place = placeOf(engine);
      await approve(place, stage.kubectl, (await untilWaits(stage.kubectl, place)).digest);
      await eventually(async () => {
        assert.equal(await pendingOf(stage.kubectl, place), undefined);
      }, minutes(3));
      await untilReady(stage.kubectl, place, minutes(4));
      const now = await membersNow();
      for (const [index, name] of members.entries()) {
        const [before, after] = [sofar[index], now[index]];
        if (name.startsWith(engine)) {
          assert.notEqual(after?.uid, before?.uid, `${name} is another pod`);
          assert.notDeepEqual(after?.zoneWeights, before?.zoneWeights, `${name} is as this release declares it`);
        } else assert.deepEqual(after, before, `${name} is as it was`);
      }
      sofar = now;
      assert.equal(await databases.rows(engine), 2, engine);
    }
    await consistently(async () => {
      assert.deepEqual(await membersNow(), sofar);
    }, 5_000);
  });
});
