// What Patroni calls once a new cluster is there (post_init), with a connection string of the superuser's.
import { readFile } from "node:fs/promises";
import { socketDirectory, withSession, type SessionArgs } from "./connection";
import { beginCluster, ensureRoles, letsIn, makerSettings } from "./roles";

const usualPort = "5432";

/** Runs the program: marks the cluster, and makes the roles, before an init Job asks for them. */
export async function beginAsPatroniAsks(): Promise<void> {
  process.title = "postgresql-roles";
  const [connectionString = ""] = process.argv.slice(3);
  const passwords = process.env["PGPASSFILE"];
  const found = passwords === undefined ? "" : await readFile(passwords, "utf8").catch(() => "");
  const args = sessionArgsOf(connectionString, found);
  const { password } = args;
  await withSession(args, async (session) => {
    await beginCluster(session);
    // without a password, which Patroni gives, the watch makes them
    if (password !== undefined) await ensureRoles({ session, password, letsIn: () => letsIn(args, password) });
  });
}

/** Whom to connect to. `passwords`: text of the file in which Patroni hands in the password. */
export function sessionArgsOf(connectionString: string, passwords: string): SessionArgs {
  const { host = socketDirectory, port = usualPort, user, password } = settingsIn(connectionString);
  if (user === undefined) throw new Error("the connection string names no user: Patroni must hand one in");
  const known = password ?? passwordIn(passwords, host, port, user);
  return {
    ...{ host, port: Number(port), user, program: "roles", settings: makerSettings },
    ...(known !== undefined && { password: known }),
  };
}

/** The settings in a connection string, `name=value …`, where a backslash escapes and quotes hold together. */
function settingsIn(connectionString: string): Partial<Record<string, string>> {
  const settings = connectionString.matchAll(/(\w+)\s*=\s*(?:'((?:\\.|[^'\\])*)'|((?:\\.|[^\s\\])*))/gs);
  return Object.fromEntries(
    [...settings].map(([, name = "", quoted, plain = ""]) => [name, unescaped(quoted ?? plain)]),
  );
}

/** The password in lines of `host:port:database:user:password`. A socket counts as this machine. */
function passwordIn(lines: string, host: string, port: string, user: string): string | undefined {
  const hosts = ["*", "localhost", host];
  for (const line of lines.split("\n")) {
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) => unescaped(field));
    const [itsHost = "", itsPort = "", , itsUser = "", password] = fields;
    const isFor = hosts.includes(itsHost) && ["*", port].includes(itsPort) && ["*", user].includes(itsUser);
    if (isFor && password !== undefined && password !== "") return password;
  }
  return undefined;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/gs, "$1");
