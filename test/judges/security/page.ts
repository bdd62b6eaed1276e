// The text of SECURITY.md: how to report, which versions get fixes, and who can do what.
import type { Actor, Cite } from "./actor";
import { clients } from "./actors/clients";
import { keepers } from "./actors/keepers";
import { people } from "./actors/people";

/** In the order of the page. */
export const actors: readonly Actor[] = [...people, ...clients, ...keepers];

export const securityPage = (): string =>
  [introduction, overview(), ...actors.map(sectionOf), conclusion].join("\n\n") + "\n";

const introduction = `# Security

<!-- Generated from test/judges/security by \`make generate\`. Do not edit. -->

## Report a vulnerability

Report it in private, and not by an issue: with "Report a vulnerability" on the Security tab, where this repository is hosted on GitHub, or else
to its maintainers directly. Say at which commit, with which rights you began, what you could do, and how to repeat it. Leave out Secrets
and the operator's records: [debug data](docs/platform/logs-and-debug-data.md#debug-data-without-secrets) says what is safe to share.

Few people work on this: there is no promised time for an answer, and no reward. A fix is told in the [changelog](CHANGELOG.md), with your name if you like. Give us the
time to make one before you publish.

## Which versions get fixes

The project is young, and no version has been released. Fixes go to the newest commit of the main branch; once there are releases, to the newest one alone. Nothing is fixed in
older ones.

- **Images are built by you.** Fixes of PostgreSQL, MySQL and Debian come with a rebuilt image ([images](docs/platform/images-and-catalogue.md)).
- npm packages and Go modules are pinned, with checksums; the packages of Debian are those of the day of the build. Nothing looks for known vulnerabilities of any of them.
- Images are not signed, and there is no bill of materials (SBOM). The catalogue takes images by digest, and does not insist on it.
- No one from outside has examined any of this.

## Who can do what

What is trusted: the API server with its authorizer and etcd, the nodes, and the cluster's administrators. **The border between tenants is the namespace.** Network
policies hold where the cluster's plug-in enforces them. What is missing in general is in [limits](docs/limits.md); how to restrict the operator is in
[security](docs/platform/security.md).`;

const overview = (): string =>
  table(
    ["Who", "At worst"],
    actors.map(({ who, worst }) => [`[${who}](#${anchorOf(who)})`, worst]),
  );

/** By GitHub's rule for headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "")
    .replaceAll(/\s/g, "-");

function sectionOf({ who, gets, barriers, open }: Actor): string {
  const rows = barriers.map(({ from, by, tried }) => [from, by, tried.map(citeText).join("<br>")]);
  const sentences = open.map((one) =>
    typeof one === "string" ? `- ${one}` : `- ${one.text} Shown by ${one.shown.map(citeText).join(", ")}.`,
  );
  return [
    `### ${who}`,
    `**Gets.** ${gets}`,
    table(["Tries", "What stops them", "Tried by"], rows),
    `**Not stopped.**`,
    sentences.join("\n"),
  ].join("\n\n");
}

function citeText(cite: Cite): string {
  if (cite.kind === "reliability") return `[“${cite.which.title}”](docs/reliability.md)`;
  return `[“${cite.test}”](${cite.file})`;
}

const conclusion = `## How this page is kept

The rows are data in \`test/judges/security/actors/\`. A unit test holds that each test that is named here exists, in a file that is run: those of \`test/cluster\`
with real tokens against a real API server on simulated nodes, those of \`test/e2e\` with real servers on a real node, the others in parts. They run with \`make test\`; the
slow ones take [turns](docs/contributing/tests.md). Some of the tests show what is _not_ stopped: one of these fails when it is, and the page changes with it.`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

/** Text as a table's cell takes it. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
