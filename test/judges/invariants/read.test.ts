// What is taken from the audit log: writes, and what was forbidden.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { readAuditLog } from "./read";

const request = (verb: string, resource: string, code: number, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    ...{ verb, requestURI: `/api/v1/${resource}`, requestReceivedTimestamp: "2026-11-21T10:00:00.5Z" },
    ...{ user: { username: "operator" }, objectRef: { resource, namespace: "production", name: "shop" } },
    responseStatus: { code },
    ...more,
  });

const cases: Record<string, readonly [lines: readonly string[], read: readonly string[]]> = {
  "writes, refused ones too": [
    [request("patch", "secrets", 200), request("create", "pods", 409)],
    ["patch secrets 200", "create pods 409"],
  ],
  "no reads": [[request("get", "secrets", 200), request("watch", "pods", 200)], []],
  "no write that only asks what would be": [
    [request("patch", "secrets", 200, { requestURI: "/api/v1/secrets?dryRun=All" })],
    [],
  ],
  "reads that were forbidden": [[request("list", "pods", 403)], ["list pods 403"]],
  "no read that was forbidden only for a moment": [[request("list", "pods", 403), request("list", "pods", 200)], []],
  "writes that were forbidden, even if only for a moment": [
    [request("create", "pods", 403), request("create", "pods", 201)],
    ["create pods 403", "create pods 201"],
  ],
  "nothing of lines that are cut off or about no object": [["", "abc", request("get", "", 403, { objectRef: {} })], []],
  "the order in which they were asked for": [
    [request("patch", "b", 200), request("patch", "a", 200, { requestReceivedTimestamp: "2026-11-21T10:00:00.4Z" })],
    ["patch a 200", "patch b 200"],
  ],
};

for (const [sentence, [lines, read]] of Object.entries(cases)) {
  test(`the audit log gives ${sentence}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "audit-"));
    try {
      const file = join(directory, "audit.log");
      await writeFile(file, lines.join("\n"));
      const found = await readAuditLog(file);
      assert.deepEqual(
        found.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`),
        read,
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
}
