import assert from "node:assert/strict";
import test from "node:test";
import { acquireSettings, sourceLines } from "./debian";

test("the base comes from the mirror that the machine uses", () => {
  const targets = [
    "https://packages.example.net/node/ nodistro Example",
    "http://mirror.example.net/debian-security/ bookworm-security Debian",
    "http://mirror.example.net/debian/ bookworm Debian",
  ].join("\n");
  assert.deepEqual(sourceLines(targets, "trixie"), [
    "deb http://mirror.example.net/debian/ trixie main",
    "deb http://mirror.example.net/debian/ trixie-updates main",
    "deb http://mirror.example.net/debian-security/ trixie-security main",
  ]);
});

test("without a mirror of its own, as on another distribution, a machine uses Debian's", () => {
  assert.deepEqual(sourceLines("", "trixie"), [
    "deb http://deb.debian.org/debian/ trixie main",
    "deb http://deb.debian.org/debian/ trixie-updates main",
    "deb http://deb.debian.org/debian-security/ trixie-security main",
  ]);
});

test("the unstable suite has neither updates nor security fixes of its own", () => {
  assert.deepEqual(sourceLines("", "unstable"), ["deb http://deb.debian.org/debian/ unstable main"]);
});

test("only apt settings about reaching a mirror are taken from the machine, and none that are empty", () => {
  const dump = [
    'Acquire "";',
    'Acquire::Check-Valid-Until "false";',
    'Acquire::http::Proxy "http://proxy.example.net:3128";',
    'Acquire::https::CaInfo "";',
    'Acquire::http::Dl-Limit "7";',
    'Acquire::Languages:: "en";',
  ].join("\n");
  assert.equal(
    acquireSettings(dump),
    'Acquire::Check-Valid-Until "false";\nAcquire::http::Proxy "http://proxy.example.net:3128";\n',
  );
});
