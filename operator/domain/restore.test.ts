import assert from "node:assert/strict";
import test from "node:test";
import { NotedStorage } from "./restore";

const noted = {
  ...{ bucket: "backups", prefix: "prod/shop/orders", endpoint: "https://s3.example.com:9000", region: "eu-1" },
  ...{ pathStyle: true, credentials: "s3", ca: "s3-ca", encryption: "orders-passphrase" },
};

test("the place that a ConfigMap notes is read as the spec's own fields are: nothing of it begins another line", () => {
  assert.deepEqual(NotedStorage.parse(noted), noted);
  const long = `${"a".repeat(256)}/${"b".repeat(63)}/orders`;
  assert.equal(NotedStorage.parse({ ...noted, prefix: long }).prefix, long);
  for (const field of ["bucket", "prefix", "endpoint", "region", "credentials", "ca", "encryption"] as const)
    for (const end of ["\n", "\nrepo1-storage-verify-tls=n", "\r\n", "]", " "])
      assert.equal(NotedStorage.safeParse({ ...noted, [field]: `${noted[field]}${end}` }).success, false, field + end);
});
