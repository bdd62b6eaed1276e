import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { MongoClient } from "mongodb";
import { ScriptedServers } from "../../test/fakes/mongodb/server";
import { initialConfiguration } from "./configuration";
import { DriverServers } from "./connection";
import { initialize } from "./initialize";

const environment = {
  SUPERUSER_PASSWORD: "of the administrator",
  APP_USER: "app",
  APP_DATABASE: "app",
  APP_PASSWORD: "of the application",
  BACKUP_USER: "backup",
  BACKUP_PASSWORD: "of backups",
};

let servers: ScriptedServers;
let host: string;
const former = process.env;

before(async () => {
  servers = await ScriptedServers.listen(1);
  host = servers.set.members[0]?.host ?? "";
  servers.set.start(host);
  const driver = new DriverServers({ address: servers.localAddress(host), password: environment.SUPERUSER_PASSWORD });
  await driver.asNobody({ replSetInitiate: initialConfiguration("orders", host) });
  await driver.asNobody({
    createUser: "root",
    pwd: environment.SUPERUSER_PASSWORD,
    roles: [{ role: "root", db: "admin" }],
  });
  await driver.close();
  process.env = { ...former, ...environment, MONGODB_HOST: host };
});
after(() => {
  process.env = former;
  servers.close();
});

/** Whether a client can log in with this name and password. */
async function canLogIn(username: string, password: string, database: string): Promise<boolean> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    auth: { username, password },
    authSource: database,
  });
  try {
    await client.db("admin").command({ usersInfo: 1 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

test("the application owns its database and nothing more, and backups have their own user", async () => {
  await initialize();
  const roles = new Map(servers.set.member(host).users.map((user) => [`${user.database}.${user.name}`, user.roles]));
  assert.deepEqual(roles.get("app.app"), [{ role: "dbOwner", db: "app" }]);
  assert.deepEqual(roles.get("admin.backup"), [
    { role: "backup", db: "admin" },
    { role: "clusterMonitor", db: "admin" },
  ]);
  assert.ok(await canLogIn("app", environment.APP_PASSWORD, "app"));
});

test("a second run gives users the current passwords of the Secrets", async () => {
  process.env["APP_PASSWORD"] = "another";
  await initialize();
  assert.ok(await canLogIn("app", "another", "app"));
  assert.ok(!(await canLogIn("app", environment.APP_PASSWORD, "app")));
  assert.equal(servers.set.member(host).users.length, 3);
});

test("the application keeps what an import has given it", async () => {
  const imported = { role: "dbOwner", db: "shop" };
  const find = (): readonly unknown[] => servers.set.member(host).users.find(({ name }) => name === "app")?.roles ?? [];
  const member = servers.set.member(host);
  member.users = member.users.map((user) =>
    user.name === "app" ? { ...user, roles: [...user.roles, imported] } : user,
  );
  await initialize();
  assert.deepEqual(find(), [imported, { role: "dbOwner", db: "app" }]);
});
