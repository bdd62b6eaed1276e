// The scripted set over real sockets and the real driver: members as they run in pods, and the shape of the answers.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { MongoClient } from "mongodb";
import { ScriptedServers } from "../../test/fakes/mongodb/server";
import { eventually } from "../../test/harness/eventually";
import { act } from "./act";
import { DriverServers } from "./connection";
import type { Action } from "./action";
import { decide } from "./decide";
import { streamingOf } from "./member";
import { metricsOf } from "./metrics";
import { observe } from "./observe";
import type { InitiationRecord } from "./observation";
import type { Member } from "./ports";
import { RunningParameters } from "./running-parameters";
import { leaveInOrder } from "./stop";
import type { Parameters } from "./wanted";

const setName = "orders";
const password = "the administrator's password";
let servers: ScriptedServers;
let drivers: DriverServers[];
let members: Member[];
let wanted = 3;
let record: InitiationRecord = { kind: "empty", version: "1" };

const hostOf = (ordinal: number): string => servers.set.members[ordinal]?.host ?? `nowhere-${ordinal}.invalid:27017`;

function memberOf(ordinal: number, driver: DriverServers): Member {
  let token: string | undefined;
  return {
    identity: { ordinal, setName, hostOf },
    servers: driver,
    administratorPassword: password,
    cluster: {
      pods: () =>
        Promise.resolve(
          servers.set.members.map((_, other) => ({
            name: `o-${other}`,
            ordinal: other,
            running: true,
            role: undefined,
          })),
        ),
      wanted: () => Promise.resolve(wanted),
      record: () => Promise.resolve(record),
      claim: (version, claimed) => {
        const isCurrent = record.kind === "empty" && record.version === version;
        if (isCurrent) record = { kind: "claimed", token: claimed };
        return Promise.resolve(isCurrent);
      },
    },
    volume: { token: () => Promise.resolve(token), ensureToken: () => Promise.resolve((token ??= "a token")) },
  };
}

async function step(ordinal: number): Promise<Action> {
  const member = members[ordinal];
  assert.ok(member);
  const action = decide(await observe(member));
  await act(action, member);
  return action;
}

/** Every running member takes its turn, and heartbeats pass. */
async function round(): Promise<void> {
  for (const [ordinal, { up }] of servers.set.members.entries()) if (up) await step(ordinal);
  servers.set.beat();
}

const isWhole = (): boolean => {
  const primary = servers.set.members.find(({ up, role }) => up && role === "primary");
  const there = primary?.configuration?.members ?? [];
  return there.length === wanted && there.every(({ votes }) => votes === 1);
};

before(async () => {
  servers = await ScriptedServers.listen(3);
  drivers = servers.set.members.map(({ host }) => new DriverServers({ address: servers.localAddress(host), password }));
  members = drivers.map((driver, ordinal) => memberOf(ordinal, driver));
  for (const { host } of servers.set.members) servers.set.start(host);
});
after(async () => {
  await Promise.all(drivers.map((driver) => driver.close()));
  servers.close();
});

test("three fresh members become one set over the real driver, and its administrator can log in", async () => {
  await eventually(async () => {
    await round();
    assert.ok(isWhole());
  });
  assert.deepEqual(await Promise.all(members.map(async (member) => (await observe(member)).server.kind)), [
    "primary",
    "secondary",
    "secondary",
  ]);
});

test("a secondary says on its pod whether it knows a primary to follow", async () => {
  const said = async (): Promise<unknown> =>
    Promise.all(members.map(async (member) => streamingOf((await observe(member)).server)));
  assert.deepEqual(await said(), [undefined, true, true]);
  servers.set.isolate([hostOf(1)]);
  assert.deepEqual(await said(), [undefined, false, true]);
  servers.set.heal();
});

test("a driver with a seed list finds the primary, and a wrong or missing password is refused", async () => {
  const connect = async (auth?: { username: string; password: string }): Promise<unknown> => {
    const seeds = servers.set.members.map(({ host }) => host).join(",");
    const options = { serverSelectionTimeoutMS: 3_000, ...(auth && { auth, authSource: "admin" }) };
    const client = new MongoClient(`mongodb://${seeds}/?replicaSet=${setName}`, options);
    try {
      return await client.db("admin").command({ usersInfo: 1 });
    } finally {
      await client.close();
    }
  };
  const answer = JSON.stringify(await connect({ username: "root", password }));
  assert.match(answer, /"user":"root"/);
  await assert.rejects(connect({ username: "root", password: "another" }), { code: 18 });
  await assert.rejects(connect(), { code: 13 });
});

test("a member's metrics cover its server, its set and its lag", async () => {
  const [, second] = drivers;
  assert.ok(second);
  const text = await metricsOf(second);
  assert.match(text, /^mongodb_up 1$/m);
  assert.match(text, /^mongodb_member_state 2$/m);
  assert.match(text, /^mongodb_replication_lag_seconds 0$/m);
  assert.match(text, /^# TYPE mongodb_operations_total counter$/m);
  assert.match(text, /^mongodb_operations_total\{type="command"\} 1$/m);
  assert.equal(text.match(/^mongodb_member_health\{.*\} 1$/gm)?.length, 3);
});

const stepOf = (ordinal: number) => async (): Promise<void> => {
  await step(ordinal);
};

test("a primary that stops hands over first", async () => {
  const [first] = drivers;
  assert.ok(first);
  await leaveInOrder({ servers: first, leads: true, alone: false, stays: true, step: stepOf(0) });
  servers.set.beat();
  const leading = servers.set.members.filter(({ role }) => role === "primary").map(({ host }) => host);
  assert.deepEqual(leading, [hostOf(1)]);
});

test("a member that leaves for good waits until its set has removed it, and the others always keep a majority", async () => {
  wanted = 1;
  const leaving = [1, 2].map((ordinal) => {
    const driver = drivers[ordinal];
    assert.ok(driver);
    const leads = servers.set.members[ordinal]?.role === "primary";
    return leaveInOrder({ servers: driver, leads, alone: false, stays: false, step: stepOf(ordinal) }).then(() => {
      servers.kill(hostOf(ordinal));
    });
  });
  servers.set.beat();
  await eventually(async () => {
    await round();
    assert.ok(isWhole());
  });
  await Promise.all(leaving);
  await round();
  assert.deepEqual(
    servers.set.members.map(({ up, role }) => up && role),
    ["primary", false, false],
  );
});

test("an administrator whose password differs from the Secret's is reported, and no second one is created", async () => {
  const [only] = members;
  assert.ok(only);
  const driver = new DriverServers({ address: servers.localAddress(hostOf(0)), password: "another" });
  try {
    const mistaken = { ...only, servers: driver, administratorPassword: "another" };
    const action = decide(await observe(mistaken));
    assert.equal(action.kind, "createAdministrator");
    await assert.rejects(act(action, mistaken), /the password of root differs from the Secret's/);
  } finally {
    await driver.close();
  }
});

test("a server that is frozen counts as one that does not answer", async () => {
  const [only] = members;
  assert.ok(only);
  servers.behave(hostOf(0), { frozen: true });
  const peer = await drivers[1]?.peer(hostOf(0), { hello: 1 }).catch(() => "no answer");
  assert.equal(peer, "no answer");
  servers.behave(hostOf(0), { frozen: false });
  assert.equal((await observe(only)).server.kind, "primary");
});

test("parameters are set on the running server, and reset once they are no longer wanted", async () => {
  const [first] = drivers;
  assert.ok(first);
  const { parameters: present } = servers.set.member(hostOf(0));
  const parameters = new RunningParameters(first);
  const cursorTimeoutMillis = (value: string): Parameters => ({ cursorTimeoutMillis: { value, restart: false } });
  await parameters.follow(cursorTimeoutMillis("1000"));
  assert.equal(present.get("cursorTimeoutMillis"), 1000);
  await parameters.follow({ ...cursorTimeoutMillis("2000"), notablescan: { value: "true", restart: false } });
  assert.deepEqual([...present.values()], [2000, true]);
  await parameters.follow({ notablescan: { value: "true", restart: false } });
  assert.deepEqual([...present.values()], [600000, true]);
  await parameters.follow({ nosuch: { value: "1", restart: false }, ...cursorTimeoutMillis("3000") });
  assert.match(parameters.problem ?? "", /^nosuch: /);
  assert.deepEqual([...present.values()], [3000, false]);
  await parameters.follow({});
  assert.equal(parameters.problem, undefined);
});
