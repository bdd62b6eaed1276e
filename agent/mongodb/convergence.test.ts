// Members of a replica set come together from any state, over a scripted set that refuses what MongoDB refuses.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ScriptedDatabase } from "../../test/fakes/mongodb/agents";
import { compareAge, majorityIn, votersIn, type SetConfiguration } from "../../test/fakes/mongodb/configuration";
import { ScriptedSet } from "../../test/fakes/mongodb/set";
import { refusalOf } from "./ports";

const maxOrdinals = 10;
const hosts = Array.from({ length: maxOrdinals }, (_, ordinal) => `orders-${ordinal}.orders-headless.shop.svc:27017`);
const ordinals = Array.from(hosts.keys());

const databaseOf = (wanted: number): ScriptedDatabase => new ScriptedDatabase(new ScriptedSet(hosts), wanted);

/** The one refusal that no member can foresee: a configuration that was accepted and has not reached a majority in time. */
const maxTimeExpired = 50;

/** One member looks and acts. Nothing happens in between, so it must meet no refusal that it could have foreseen. */
async function step(database: ScriptedDatabase, ordinal: number): Promise<void> {
  const before = newestOf(database);
  try {
    const action = await database.step(ordinal);
    if (action.kind === "reconfigure") assertSafe(database, ordinal, before);
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined && !(error instanceof Error && error.message === "connection refused")) throw error;
    assert.ok(refused === undefined || refused === maxTimeExpired, String(error));
  }
}

const newestOf = ({ set }: ScriptedDatabase): SetConfiguration | undefined =>
  set.members
    .flatMap(({ configuration }) => configuration ?? [])
    .sort(compareAge)
    .at(-1);

/** What every change keeps: one voter at a time, at most seven, and a primary that keeps its majority. */
function assertSafe(database: ScriptedDatabase, ordinal: number, before: SetConfiguration | undefined): void {
  const primary = database.set.member(database.hostOf(ordinal));
  const after = primary.configuration;
  assert.ok(before !== undefined && after !== undefined);
  const [old, next] = [votersIn(before), votersIn(after)];
  const difference = [...old.filter((host) => !next.includes(host)), ...next.filter((host) => !old.includes(host))];
  assert.ok(difference.length <= 1, `${difference.join(", ")} changed at once`);
  assert.ok(next.length <= 7);
  assert.ok(database.set.hasMajority(primary), "the change took the primary's majority");
}

/** Pods of a StatefulSet: those of wanted ordinals run; one that is to be removed runs until the set has removed it. */
function schedule(database: ScriptedDatabase): void {
  const members = newestOf(database)?.members.map(({ host }) => host) ?? [];
  for (const ordinal of ordinals) {
    const host = database.hostOf(ordinal);
    if (ordinal < database.wanted || members.includes(host)) {
      database.pods.add(ordinal);
      database.set.start(host);
    } else {
      database.pods.delete(ordinal);
      database.set.kill(host);
    }
  }
}

async function settle(database: ScriptedDatabase, rounds = 200): Promise<void> {
  database.set.heal();
  for (let round = 0; round < rounds && !isSettled(database); round += 1) {
    schedule(database);
    for (const ordinal of database.pods) await step(database, ordinal);
    database.set.beat();
  }
}

function isSettled({ set, wanted }: ScriptedDatabase): boolean {
  const primary = set.members.find(({ up, role }) => up && role === "primary");
  const configuration = primary?.configuration;
  if (primary === undefined || configuration === undefined || primary.users.length === 0) return false;
  const there = configuration.members.map(({ host }) => host).sort();
  if (there.some((host) => !["primary", "secondary"].includes(set.member(host).role))) return false;
  const voters = Math.min(wanted, 7);
  return there.join() === hosts.slice(0, wanted).sort().join() && votersIn(configuration).length === voters;
}

function assertSettled(database: ScriptedDatabase): void {
  assert.ok(
    isSettled(database),
    JSON.stringify(
      database.set.members.filter(({ up }) => up),
      null,
      1,
    ),
  );
  assert.equal(database.initiations, 1);
}

for (const wanted of [1, 2, 3, 5, 7, 8, 10]) {
  test(`${wanted} fresh members become one set with an administrator, begun once`, async () => {
    const database = databaseOf(wanted);
    await settle(database);
    assertSettled(database);
  });
}

for (const [from, to] of [
  [1, 3],
  [3, 1],
  [5, 2],
  [2, 1],
  [10, 3],
  [3, 10],
] as const) {
  test(`${from} members become ${to}, without a moment in which the primary has no majority`, async () => {
    const database = databaseOf(from);
    await settle(database);
    database.wanted = to;
    await settle(database);
    assertSettled(database);
  });
}

test("a primary that is to be removed hands over first", async () => {
  const database = databaseOf(3);
  await settle(database);
  // member 2 leads
  for (const ordinal of [0, 1]) database.set.kill(database.hostOf(ordinal));
  database.set.beat();
  database.set.start(database.hostOf(1));
  for (let round = 0; round < 3; round += 1) database.set.beat();
  const leader = database.set.members.findIndex(({ up, role }) => up && role === "primary");
  assert.ok(leader > 0);
  database.wanted = leader;
  await settle(database);
  assertSettled(database);
});

test("kept volumes applied with too few members: none leads, each says how to bring them back, and that works", async () => {
  const database = databaseOf(3);
  await settle(database);
  const { position } = database.set.member(database.hostOf(0));
  for (const host of hosts) database.set.kill(host);
  for (const [kept, cure] of [
    [1, /no member leads: .* set spec\.replicas to 3 until the Database is ready, then to 1 again$/],
    [2, /^no member leads: more than half of \S+, \S+, \S+ must be available$/],
  ] as const) {
    database.wanted = kept;
    database.pods.clear();
    database.pods.add(0);
    database.set.start(database.hostOf(0));
    for (let round = 0; round < 5; round += 1) {
      const action = await database.step(0);
      assert.ok("why" in action, action.kind);
      assert.match(action.why, cure);
      assert.equal(action.kind, kept === 1 ? "person" : "wait");
      database.set.beat();
    }
  }
  for (const count of [3, 1]) {
    database.wanted = count;
    for (const ordinal of [0, 1, 2].slice(0, count)) database.set.start(database.hostOf(ordinal));
    await settle(database);
    assertSettled(database);
  }
  assert.ok(database.set.member(database.hostOf(0)).position >= position);
});

test("while a remaining member is down, leaving members keep their votes: without them the primary would lose its majority", async () => {
  const database = databaseOf(3);
  await settle(database);
  database.wanted = 2;
  database.set.kill(database.hostOf(1));
  database.set.beat();
  for (let round = 0; round < 5; round += 1) {
    assert.match(JSON.stringify(await database.step(0)), /would leave 1 of 2 voters/);
    database.set.beat();
  }
  await settle(database);
  assertSettled(database);
});

test("a member that lost its volume never begins a second set, even member 0", async () => {
  const database = databaseOf(3);
  await settle(database);
  database.loseVolume(0);
  await settle(database);
  assertSettled(database);
  assert.ok(database.set.member(database.hostOf(0)).position > 0);
});

test("with all volumes lost no new set is begun: the record stays as it is", async () => {
  const database = databaseOf(3);
  await settle(database);
  for (const ordinal of [0, 1, 2]) database.loseVolume(ordinal);
  await settle(database, 30);
  assert.ok(!isSettled(database));
  assert.equal(database.initiations, 1);
});

test("over data that a backup brought, with users in them, member 0 begins a set and the others copy", async () => {
  const database = databaseOf(3);
  const first = database.set.member(database.hostOf(0));
  const users = ["root", "app", "reader"].map((name) => ({ name, database: "admin", password: "secret", roles: [] }));
  first.users.push(...users);
  await settle(database);
  assertSettled(database);
  for (const ordinal of [0, 1, 2]) assert.deepEqual(database.set.member(database.hostOf(ordinal)).users, users);
});

test("over data whose administrator has another password no set is begun, and that is the reason", async () => {
  const database = databaseOf(1);
  schedule(database);
  database.set
    .member(database.hostOf(0))
    .users.push({ name: "root", database: "admin", password: "former", roles: [] });
  assert.equal((await database.step(0)).kind, "claim");
  await assert.rejects(database.step(0), /the password of root differs from the Secret's/);
});

test("a member that died between claiming and beginning begins after its restart", async () => {
  const database = databaseOf(1);
  schedule(database);
  assert.equal((await database.step(0)).kind, "claim");
  database.set.kill(database.hostOf(0));
  await settle(database);
  assertSettled(database);
});

test("while a peer runs but does not answer, no set is begun", async () => {
  const database = databaseOf(2);
  schedule(database);
  database.set.isolate([database.hostOf(1)]);
  for (let round = 0; round < 5; round += 1) assert.equal((await database.step(0)).kind, "wait");
  await settle(database);
  assertSettled(database);
});

/** Something that happens to the members. The title shows it when a run fails. */
interface Event {
  readonly title: string;
  readonly happen: (at: ScriptedDatabase) => unknown;
}

const ordinal = fc.nat(maxOrdinals - 1);
const toOne = (what: string, happen: (at: ScriptedDatabase, of: number) => unknown): fc.Arbitrary<Event> =>
  ordinal.map((of) => ({ title: `${what} ${of}`, happen: (at) => happen(at, of) }));
const always = (title: string, happen: Event["happen"]): fc.Arbitrary<Event> => fc.constant({ title, happen });

/** A container starts again, and an agent acts, only while its pod exists. */
const events = {
  beat: ({ set }: ScriptedDatabase): void => {
    set.beat();
  },
  heal: ({ set }: ScriptedDatabase): void => {
    set.heal();
  },
  step: async (at: ScriptedDatabase, of: number): Promise<void> => {
    if (at.pods.has(of)) await step(at, of);
  },
  kill: (at: ScriptedDatabase, of: number): void => {
    at.set.kill(at.hostOf(of));
  },
  start: (at: ScriptedDatabase, of: number): void => {
    if (at.pods.has(of)) at.set.start(at.hostOf(of));
  },
  lose: (at: ScriptedDatabase, of: number): void => {
    if (mayLose(at, of)) at.loseVolume(of);
  },
  isolate: (at: ScriptedDatabase, some: readonly number[]): void => {
    at.set.isolate(some.map((of) => at.hostOf(of)));
  },
};

const isolation = fc.uniqueArray(ordinal).map((some): Event => ({
  title: `isolate ${some.join()}`,
  happen: (at) => {
    events.isolate(at, some);
  },
}));

const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: always("beat", events.beat) },
  { weight: 8, arbitrary: toOne("step", events.step) },
  { weight: 2, arbitrary: toOne("kill", events.kill) },
  { weight: 2, arbitrary: toOne("start", events.start) },
  { weight: 1, arbitrary: toOne("lose", events.lose) },
  { weight: 1, arbitrary: isolation },
  { weight: 1, arbitrary: always("heal", events.heal) },
  { weight: 1, arbitrary: toOne("scale to", scale) },
);

/** To at least one. */
function scale(database: ScriptedDatabase, members: number): void {
  database.wanted = Math.max(1, members);
  schedule(database);
}

/** A volume may be lost where the others have all of its data: otherwise no software can restore it. */
function mayLose({ set }: ScriptedDatabase, of: number): boolean {
  const lost = set.members[of];
  const primary = set.members.find((member) => member.up && member.role === "primary" && set.hasMajority(member));
  if (lost === undefined || primary?.configuration === undefined || primary === lost) return false;
  if (!set.isCommitted(primary)) return false;
  const full = votersIn(primary.configuration)
    .filter((host) => host !== lost.host)
    .filter((host) => set.member(host).position >= primary.position && set.reaches(primary.host, host));
  return full.length >= majorityIn(primary.configuration);
}

const beginnings = fc.record({ wanted: fc.integer({ min: 1, max: 7 }), isFresh: fc.boolean() });

/** Members that lead with a majority of their own configuration's voters. */
const leaders = ({ set }: ScriptedDatabase): number =>
  set.members.filter((member) => member.up && member.role === "primary" && set.hasMajority(member)).length;

test("whatever happens to members, the wanted ones form one set again, and two never lead with a majority", async () => {
  await fc.assert(
    fc.asyncProperty(beginnings, fc.array(anyEvent, { maxLength: 120 }), async ({ wanted, isFresh }, all) => {
      const database = databaseOf(wanted);
      schedule(database);
      if (!isFresh) await settle(database);
      for (const event of all) {
        await event.happen(database);
        assert.ok(leaders(database) <= 1, "two members lead with a majority");
        assert.ok(database.initiations <= 1);
      }
      await settle(database, 400);
      assertSettled(database);
    }),
    { numRuns: 200 },
  );
});
