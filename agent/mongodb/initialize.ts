// The program of the init Job: creates the application's user and that of backups, or gives them their current passwords.
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { required } from "../environment";
import { log, textOf } from "../log";
import { administrator } from "./ports";
import { ensureUsers } from "./users";

/** How long a primary may take to appear, in milliseconds. */
const patienceMs = 600_000;

/** Waits for a primary and creates the users. It may run again at any time. */
export async function initialize(): Promise<void> {
  const client = await untilWritable();
  try {
    await ensureUsers(client);
  } finally {
    await client.close();
  }
}

/** A client of the primary. One whose first connection failed stays closed forever, so each attempt uses another one. */
async function untilWritable(): Promise<MongoClient> {
  const deadline = performance.now() + patienceMs;
  let said = "";
  for (;;) {
    const client = new MongoClient(`mongodb://${required("MONGODB_HOST")}/`, {
      directConnection: true,
      serverSelectionTimeoutMS: 5_000,
      auth: { username: administrator, password: required("SUPERUSER_PASSWORD") },
      authSource: "admin",
    });
    try {
      const { isWritablePrimary } = await client.db("admin").command({ hello: 1 });
      if (isWritablePrimary === true) return client;
    } catch (error) {
      const why = textOf(error);
      if (why !== said) log("waiting for a primary", { why });
      said = why;
    }
    await client.close();
    if (performance.now() > deadline) throw new Error(`no primary accepted the administrator's password: ${said}`);
    await delay(1_000);
  }
}
