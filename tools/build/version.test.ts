import assert from "node:assert/strict";
import test from "node:test";
import { type Fit, fits, parseVersion, versionOf } from "./version";

const printed: Readonly<Record<string, string | undefined>> = {
  "Kubernetes v1.34.4": "1.34.4",
  "Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0": "1.32.4",
  "etcd Version: 3.6.6\nGit SHA: Not provided": "3.6.6",
  "kwok version v0.7.0 go1.26.8 (linux/amd64)": "0.7.0",
  "v3.258.0": "3.258.0",
  "3.259.0-alpha.1": "3.259.0",
  "address 10.0.0.1:80": undefined,
  "unknown flag": undefined,
};

for (const [text, version] of Object.entries(printed)) {
  test(`${JSON.stringify(text)} means ${version ?? "no version"}`, () => {
    assert.deepEqual(parseVersion(text), version === undefined ? undefined : versionOf(version));
  });
}

const cases: readonly { found: string; pinned: string; fit: Fit; used: boolean; because: string }[] = [
  {
    found: "3.200.0",
    pinned: "3.258.0",
    fit: { kind: "atLeast", minimum: "3.200.0" },
    used: true,
    because: "it is the minimum",
  },
  {
    found: "3.300.1",
    pinned: "3.258.0",
    fit: { kind: "atLeast", minimum: "3.200.0" },
    used: true,
    because: "newer ones are compatible",
  },
  {
    found: "3.199.9",
    pinned: "3.258.0",
    fit: { kind: "atLeast", minimum: "3.200.0" },
    used: false,
    because: "it is too old",
  },
  {
    found: "4.0.0",
    pinned: "3.258.0",
    fit: { kind: "atLeast", minimum: "3.200.0" },
    used: false,
    because: "it is another major",
  },
  {
    found: "1.33.0",
    pinned: "1.34.4",
    fit: { kind: "withinMinors", minors: 1 },
    used: true,
    because: "it is one minor older",
  },
  {
    found: "1.35.2",
    pinned: "1.34.4",
    fit: { kind: "withinMinors", minors: 1 },
    used: true,
    because: "it is one minor newer",
  },
  {
    found: "1.32.4",
    pinned: "1.34.4",
    fit: { kind: "withinMinors", minors: 1 },
    used: false,
    because: "it is two minors older",
  },
  { found: "1.34.0", pinned: "1.34.4", fit: { kind: "sameMinor" }, used: true, because: "patches do not matter" },
  { found: "1.35.4", pinned: "1.34.4", fit: { kind: "sameMinor" }, used: false, because: "it is another minor" },
  { found: "4.25.0", pinned: "4.25.0", fit: { kind: "exact" }, used: true, because: "it is the same" },
  { found: "4.25.1", pinned: "4.25.0", fit: { kind: "exact" }, used: false, because: "it is another patch" },
  { found: "1.12.4", pinned: "1.12.4", fit: { kind: "none" }, used: false, because: "it is always built" },
];

for (const { found, pinned, fit, used, because } of cases) {
  test(`${found} is ${used ? "" : "not "}used for ${pinned} by ${fit.kind}: ${because}`, () => {
    assert.equal(fits(versionOf(found), versionOf(pinned), fit), used);
  });
}
