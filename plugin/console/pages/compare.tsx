// In what the spec of a revision differs from another one, and the way to see what going back to it would do.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Comparison, Other } from "../data/compare";
import type { Place } from "../data/read";
import { Fields } from "./fields";
import type { Frame } from "./frame";

export interface CompareProps {
  readonly place: Place;
  readonly revision: number;
  readonly comparison: Comparison;
  readonly frame: Frame;
}

export function Compare(props: CompareProps): JSX.Element {
  const { place, revision, comparison, frame } = props;
  return (
    <section class="card" aria-labelledby="compare-title">
      <h2 id="compare-title">Compared</h2>
      <form class="actions" method="get" action={frame.links.revision(place, revision)}>
        <label>
          {`Revision ${revision} and`}
          <select name="with">
            {comparison.others.map((other) => (
              <option value={String(other)} selected={other === comparison.other}>
                {titleOf(other)}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Compare</button>
      </form>
      <Differences {...props} />
      <form method="post" action={frame.links.rollback(place, revision)}>
        <input type="hidden" name="token" value={frame.formToken} />
        <p class="actions">
          <button type="submit">Show what going back to it would do</button>
        </p>
      </form>
    </section>
  );
}

const titleOf = (other: Other): string => (other === "now" ? "the spec of now" : `revision ${other}`);

function Differences({ revision, comparison: { other, fields } }: CompareProps): JSX.Element {
  if (fields === undefined) return <p class="warning">One of the two specs was not kept: it was too large.</p>;
  if (fields.length === 0) return <p>{`The spec of revision ${revision} and ${titleOf(other)} ask for the same.`}</p>;
  const isOlder = other !== "now" && other < revision;
  const label = isOlder
    ? `From ${titleOf(other)} to revision ${revision}`
    : `From revision ${revision} to ${titleOf(other)}`;
  return (
    <>
      <p>{`${label}:`}</p>
      <Fields label={label} fields={fields} />
    </>
  );
}
