// The members of a Database, as their pods show them.
import type { JSX } from "hono/jsx/jsx-runtime";
import { bytesText, durationText, secondsBetween } from "../../output/amounts";
import type { MemberStanding } from "../../status/detailed";
import { Table, type CellContent } from "./table";
import { None } from "./words";

interface MembersProps {
  readonly members: readonly MemberStanding[];
  readonly now: Date;
}

export function Members({ members, now }: MembersProps): JSX.Element {
  return (
    <section class="card flush" aria-labelledby="members-title">
      <h2 id="members-title">Members</h2>
      {members.length === 0 ? (
        <p class="empty">None that you may see.</p>
      ) : (
        <Table
          label="Members"
          headings={["Member", "Role", "State", "Node", "Up", "Volume"]}
          rows={members.map((member) => cellsOf(member, now))}
        />
      )}
    </section>
  );
}

function cellsOf(member: MemberStanding, now: Date): CellContent[] {
  const { name, role, node, startedAt } = member;
  const up = secondsBetween(startedAt, now);
  return [
    name,
    role === "primary" ? <strong>primary</strong> : (role ?? <None />),
    <MemberState member={member} />,
    node ?? <None />,
    up === undefined ? <None /> : durationText(up),
    <VolumeCell volume={member.volume} />,
  ];
}

function MemberState({ member }: { readonly member: MemberStanding }): JSX.Element {
  const { ready, problem } = member;
  const notes = [...(ready ? replicationNotes(member) : []), ...restartNotes(member)];
  return (
    <>
      {ready ? <span class="mark good">Ready</span> : <span class="mark bad">{problem ?? "not ready"}</span>}
      {notes.length > 0 && <small>{notes.join(", ")}</small>}
    </>
  );
}

function replicationNotes({ streaming, bytesBehind }: MemberStanding): string[] {
  if (streaming === false) return ["receives nothing of the primary"];
  if (bytesBehind === undefined) return [];
  return [bytesBehind === 0 ? "0 B behind" : `~${bytesText(bytesBehind)} behind`];
}

function restartNotes({ restarts, lastEnding }: MemberStanding): string[] {
  if (restarts === undefined) return [];
  return [`restarted ${restarts}×${lastEnding === undefined ? "" : `: ${lastEnding}`}`];
}

function VolumeCell({ volume }: { readonly volume: MemberStanding["volume"] }): JSX.Element {
  if (volume === undefined) return <None />;
  const { used, size } = volume;
  const text = `${bytesText(used)} of ${bytesText(size)}`;
  return (
    <>
      <meter aria-label={`${text} used`} min={0} max={size} high={size * 0.85} value={used}></meter>{" "}
      <small>{text}</small>
    </>
  );
}
