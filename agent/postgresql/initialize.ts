// The program of the init Job: makes the roles and the database that applications and the exporter use.
// Idempotent: what exists is kept, and passwords become those of the Secrets. They arrive by the environment and leave this process only as
// verifiers; statements that carry one are not logged by the server.
// Its role may do no more than that, and a primary makes it by itself. On one of an earlier image, which does not, it is made from here, as
// the superuser.
import { setTimeout as delay } from "node:timers/promises";
import { escapeIdentifier, escapeLiteral } from "pg";
import { z } from "zod";
import { required, requiredNumber } from "../environment";
import { textOf } from "../log";
import type { Session, SessionArgs } from "./server/connection";
import { openPeer } from "./server/peer";
import { ensureRolesAt, initializer, iterationsOf, makerSettings } from "./server/roles";
import { settingStatements } from "./server/session-statements";
import { verifierOf } from "./server/verifier";
import type { Credentials } from "./settings";

const deadlineSeconds = 600;
const pauseMs = 1_000;

/** Where the primary is, and the superuser there, whose password the init Job's role has, too. */
interface Primary {
  readonly host: string;
  readonly port: number;
  readonly superuser: string;
  readonly password: string;
}

/** What is to be there. */
interface Wanted {
  readonly app: Credentials;
  readonly database: string;
  readonly monitor: Credentials;
}

/** Runs the program. */
export async function initialize(): Promise<void> {
  process.title = "postgresql-init";
  const wanted = {
    app: { user: required("APP_USER"), password: required("APP_PASSWORD") },
    database: required("APP_DATABASE"),
    monitor: { user: required("MONITOR_USER"), password: required("MONITOR_PASSWORD") },
  };
  const primary = {
    host: required("PGHOST"),
    port: requiredNumber("PGPORT"),
    superuser: required("PGUSER"),
    password: required("PGPASSWORD"),
  };
  const session = await untilPrimary({
    connect: () => sessionOn(primary),
    makeInitializer: () => makeInitializer(primary),
    say,
  });
  await setUp(session, wanted, say);
  session.close();
  say("done");
}

function say(message: string): void {
  process.stdout.write(`${message}\n`);
}

/** How a primary is waited for. */
export interface WaitArgs {
  /** A session on the primary, or why there is none. */
  readonly connect: () => Promise<Session | string>;
  /** Makes the role that it connects as. */
  readonly makeInitializer: () => Promise<void>;
  readonly say: (message: string) => void;
  /** Between two attempts. Default: a second. */
  readonly pause?: () => Promise<unknown>;
}

/** Waits for a primary. Throws where there is none in time. */
export async function untilPrimary({ connect, makeInitializer, say, pause }: WaitArgs): Promise<Session> {
  const deadline = performance.now() + deadlineSeconds * 1_000;
  let said = "";
  for (;;) {
    const found = await connect();
    if (typeof found !== "string") return found;
    if (performance.now() > deadline) throw new Error(`no primary after ${deadlineSeconds} s: ${found}`);
    if (found !== said) say(`waiting for a primary: ${found}`);
    said = found;
    // the server was reached, and does not know the role
    if (found.includes(initializer)) await makeInitializer();
    await (pause?.() ?? delay(pauseMs));
  }
}

async function sessionOn({ host, port, password }: Primary): Promise<Session | string> {
  // an empty list can be written here, but not for a role
  const settings = { session_preload_libraries: "" };
  try {
    const session = await openPeer({ host, port, user: initializer, password, program: "init", settings });
    if (await isPrimary(session)) return session;
    session.close();
    return "it is a replica";
  } catch (error) {
    return textOf(error);
  }
}

async function isPrimary(session: Session): Promise<boolean> {
  try {
    const [[isReplica] = []] = await session.rows("SELECT pg_is_in_recovery()");
    return isReplica === false;
  } catch (error) {
    session.close();
    throw error;
  }
}

/** What keeps it from that, such as a server that refuses the superuser, is no failure: the primary may make it by then. */
async function makeInitializer({ host, port, superuser, password }: Primary): Promise<void> {
  const args: SessionArgs = { host, port, user: superuser, password, program: "roles", settings: makerSettings };
  await ensureRolesAt(args, password).catch(() => undefined);
}

/** Makes what is wanted, as far as it is not there. */
export async function setUp(session: Session, { app, database, monitor }: Wanted, say: WaitArgs["say"]): Promise<void> {
  for (const statement of settingStatements(session.version)) await session.run(statement);
  say(await ensureRole(session, app));
  say(await ensureDatabase(session, database, app.user));
  say(await ensureRole(session, monitor));
}

const Text = z.tuple([z.tuple([z.string()])]);

async function ensureRole(session: Session, { user, password }: Credentials): Promise<string> {
  const verifier = await verifierOf(password, await iterationsOf(session));
  const call = `SELECT database_operator.ensure_role(${escapeLiteral(user)}, ${escapeLiteral(verifier)})`;
  const [[done]] = Text.parse(await session.rows(call));
  return `role ${user}: ${done}`;
}

async function ensureDatabase(session: Session, database: string, owner: string): Promise<string> {
  const found = await session.rows(`SELECT 1 FROM pg_database WHERE datname = ${escapeLiteral(database)}`);
  if (found.length > 0) return `database ${database}: exists`;
  await session.run(`CREATE DATABASE ${escapeIdentifier(database)} OWNER ${escapeIdentifier(owner)}`);
  return `database ${database}: made, owned by ${owner}`;
}
