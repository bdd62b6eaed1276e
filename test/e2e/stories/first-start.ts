// New Databases with a setting that only the server can judge, and with which it does not start: users see its own words.
import assert from "node:assert/strict";
import test from "node:test";
import { builtVersion } from "../../harness/built-versions";
import { messageOf, untilCondition, untilReady } from "../../harness/database";
import { minutes } from "../../harness/eventually";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";

const namespace = "first-start";
const rejected = { type: "Stalled", status: "True", reason: "ConfigRejected" };

interface Refusal {
  /** Of the Database. */
  readonly name: string;
  readonly engine: "postgresql" | "mysql";
  readonly config: Readonly<Record<string, string>>;
  readonly words: RegExp;
}

const refusals: readonly Refusal[] = [
  {
    name: "value",
    engine: "postgresql",
    config: { wal_consistency_checking: "nosuch" },
    words: /invalid value for parameter "wal_consistency_checking"/,
  },
  {
    name: "memory",
    engine: "postgresql",
    // no page of that size is set aside on the node
    config: { huge_pages: "on" },
    words: /FATAL: +could not map anonymous shared memory/,
  },
  {
    name: "character-set",
    engine: "mysql",
    config: { character_set_server: "nosuch" },
    words: /\[ERROR\].*nosuch/,
  },
];

export const firstStart = story(namespace, (stage) => {
  rotating(
    "session-settings",
    () => {
      for (const { name, engine, config, words } of refusals) {
        test(`${engine}: a new Database with ${Object.keys(config).join()} that its server refuses says the server's last line, and is Ready once it is corrected`, async () => {
          const place = [namespace, name] as const;
          const { version } = builtVersion(stage.platform, engine);
          const spec = { engine, version, replicas: 1, storage: "2Gi", backup: { enabled: false } };
          await stage.kubectl.apply(modestDatabase(name, namespace, { ...spec, config }));
          const view = await untilCondition(stage.kubectl, place, rejected, minutes(3));
          for (const type of ["Stalled", "Ready"]) assert.match(messageOf(view, type), words);
          await stage.kubectl.apply(modestDatabase(name, namespace, spec));
          await untilReady(stage.kubectl, place, minutes(4));
          await stage.kubectl("delete", "database", name, "-n", namespace, "--wait=false");
        });
      }
    },
    refusals.length,
  );
});
