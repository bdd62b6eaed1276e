import assert from "node:assert/strict";
import test from "node:test";
import { accountsStatement, NetworkAccounts } from "./network-accounts";
import { accountStatements } from "./server/accounts";

/** A server with these accounts for other pods, by whether they are locked. */
class Bench {
  readonly locked: Map<string, boolean>;
  readonly statements: string[] = [];
  /** The first words of a statement that fails. */
  broken: string | undefined;
  now = 0;
  readonly accounts: NetworkAccounts;

  constructor(locked: Readonly<Record<string, boolean>>) {
    this.locked = new Map(Object.entries(locked));
    this.accounts = new NetworkAccounts({ server: this, password: "secret", now: () => this.now });
  }

  query = (statement: string): Promise<unknown> => {
    if (statement === accountsStatement)
      return Promise.resolve([...this.locked].map(([user, locked]) => ({ user, locked: locked ? "Y" : "N" })));
    if (this.broken !== undefined && statement.startsWith(this.broken)) return Promise.reject(new Error("broken"));
    this.statements.push(statement);
    const [, verb, user = ""] = /^(CREATE|ALTER) USER (?:IF NOT EXISTS )?(\w+)@'%'/.exec(statement) ?? [];
    if (verb === "CREATE" && !this.locked.has(user)) this.locked.set(user, statement.endsWith("ACCOUNT LOCK"));
    if (verb === "ALTER") this.locked.set(user, statement.endsWith("ACCOUNT LOCK"));
    return Promise.resolve([]);
  };

  async primaryLooks(wanted?: "Local" | "Network"): Promise<string> {
    this.now += 5_000;
    await this.accounts.asPrimary(wanted);
    const root = this.locked.get("root");
    return root === undefined ? "missing" : root ? "locked" : "open";
  }
}

test("a new member's superuser is closed to other pods, and the init Job has an account without its power", () => {
  const statements = accountStatements({ passwords: { superuser: "s", replication: "r" } }).split(";\n");
  assert.ok(statements.includes("CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY 's' ACCOUNT LOCK"));
  const granted = statements.filter((statement) => statement.includes("TO database_init@'%'"));
  assert.ok(granted.length > 0);
  assert.ok(
    granted.every((statement) => !/^GRANT ALL ON \*/.test(statement)),
    granted.join("\n"),
  );
});

test("a group that an earlier image made keeps its superuser open until its Database says Local", async () => {
  const bench = new Bench({ root: false });
  assert.equal(await bench.primaryLooks(), "open");
  assert.equal(bench.locked.get("database_init"), false);
  assert.equal(await bench.primaryLooks("Local"), "locked");
  assert.equal(await bench.primaryLooks(), "locked");
});

test("Network opens a closed superuser, and one that a person dropped", async () => {
  const former: readonly Readonly<Record<string, boolean>>[] = [{ root: true }, {}];
  for (const locked of former) {
    const bench = new Bench(locked);
    assert.notEqual(await bench.primaryLooks(), "open");
    assert.equal(await bench.primaryLooks("Network"), "open");
    assert.equal(await bench.primaryLooks("Local"), "locked");
  }
});

test("nothing is written where everything is as wanted", async () => {
  const bench = new Bench({ root: true, database_init: false });
  await bench.primaryLooks();
  await bench.primaryLooks("Local");
  assert.deepEqual(bench.statements, []);
});

test("a half-created account cannot be used, and the next look finishes it", async () => {
  const bench = new Bench({ root: true });
  bench.broken = "GRANT SYSTEM_USER";
  await bench.primaryLooks();
  assert.equal(bench.locked.get("database_init"), true);
  bench.broken = undefined;
  await bench.primaryLooks();
  assert.equal(bench.locked.get("database_init"), false);
});
