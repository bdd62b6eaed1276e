// What a change does to those who use the database: in sentences, and for each member.
import type { JSX } from "hono/jsx/jsx-runtime";
import { effectsByMember, type Consequence } from "../../../operator/consequences/consequence";
import { durationText } from "../../output/amounts";
import { byWeight } from "../../output/effect";
import { Table } from "./table";
import { EffectMark } from "./words";

interface ConsequencesProps {
  readonly consequences: readonly Consequence[];
  /** All that there are: to those that are not named nothing happens. */
  readonly members: readonly string[];
}

export function Consequences({ consequences, members }: ConsequencesProps): JSX.Element {
  if (consequences.length === 0) return <p>Clients notice nothing.</p>;
  const perMember = effectsByMember(consequences, members);
  return (
    <>
      <ul class="effects">
        {byWeight(consequences).map((one) => (
          <li>
            <EffectMark effect={one.effect} /> <span>{sentenceOf(one)}</span>
          </li>
        ))}
      </ul>
      {perMember.length > 0 && (
        <Table
          label="What happens to each member"
          headings={["Member", "Effect", "In its turn"]}
          rows={perMember.map(({ name, effect }) => [name, <EffectMark effect={effect} />, turnOf(name, consequences)])}
        />
      )}
    </>
  );
}

function sentenceOf({ message, aboutSeconds, waitsFor }: Consequence): string {
  const seconds = aboutSeconds === undefined ? "" : ` (about ${durationText(aboutSeconds)})`;
  return `${message}${seconds}${waitsFor === undefined ? "" : `; not for now: ${waitsFor}`}`;
}

/** Such as `2 of 3`: of those that it happens to one after the other. */
function turnOf(name: string, consequences: readonly Consequence[]): string {
  const row = consequences
    .map(({ members }) => members)
    .find((members) => members.length > 1 && members.includes(name));
  return row === undefined ? "–" : `${row.indexOf(name) + 1} of ${row.length}`;
}
