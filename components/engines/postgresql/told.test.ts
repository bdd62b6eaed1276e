import assert from "node:assert/strict";
import test from "node:test";
import { engineOf } from "../available";
import { settingsOf } from "../../settings";
import type { DatabaseOptions } from "../../args";

function problemsOf(config: Readonly<Record<string, string>>, isKept: boolean): string[] {
  const backup = { enabled: true, pointInTime: isKept };
  const wishes: DatabaseOptions = {
    namespace: "shop",
    engine: "postgresql",
    version: "17.11",
    image: "i",
    config,
    backup,
  };
  return engineOf("postgresql")
    .memoryProblems(settingsOf("orders", wishes))
    .map(({ message }) => message);
}

test("what would cut off what the program that keeps WAL says is refused with it, and taken without it", () => {
  for (const [config, says] of [
    [{ track_activities: "off" }, /^parameter "track_activities" is "off": leave it out/],
    [{ track_activities: "False" }, /"track_activities"/],
    [{ track_activity_query_size: "512" }, /^parameter "track_activity_query_size" is "512": write 1024 or more/],
    [{ track_activity_query_size: "0.5kB" }, /"track_activity_query_size"/],
  ] as const) {
    const [problem = "", ...others] = problemsOf(config, true);
    assert.match(problem, says);
    assert.deepEqual([others, problemsOf(config, false)], [[], []]);
  }
  const harmless: Readonly<Record<string, string>>[] = [
    { track_activities: "on" },
    { track_activity_query_size: "1kB" },
    {},
  ];
  for (const config of harmless) assert.deepEqual(problemsOf(config, true), []);
});
