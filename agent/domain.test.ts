import assert from "node:assert/strict";
import test from "node:test";
import { domainOf } from "./domain";

test("a member finds its domain in the hosts file that the kubelet writes", () => {
  const hosts = `# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
10.244.0.7\tdb-10.db-headless.shop.svc.example.org\tdb-10
10.244.0.5\tdb-1.db-headless.shop.svc.example.org\tdb-1 # this pod
`;
  assert.equal(domainOf("db-1", hosts), "db-headless.shop.svc.example.org");
});

test("without its full name there, a member says what is wrong", () => {
  assert.throws(() => domainOf("db-1", "127.0.0.1 localhost\n"), /no full name of db-1/);
});
