import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { noteReport, tellReport } from "./report";

test("what was noted is told by an attempt that only finds the data, and nothing where nothing was", async () => {
  const volume = await mkdtemp(join(tmpdir(), "report-"));
  const said: string[] = [];
  const say = (text: string): Promise<void> => (said.push(text), Promise.resolve());
  try {
    await tellReport(volume, say);
    await noteReport(volume, { imported: { version: "15.18", tables: 2, rows: 3, consistency: "OneMoment" } });
    await tellReport(volume, say);
    assert.deepEqual(said, ['{"imported":{"version":"15.18","tables":2,"rows":3,"consistency":"OneMoment"}}']);
  } finally {
    await rm(volume, { recursive: true });
  }
});
