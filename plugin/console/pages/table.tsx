// Tables that become lists of cards on a narrow screen. Roles are written out, as a browser forgets them where the display is another.
import type { JSX } from "hono/jsx/jsx-runtime";

/** What stands in one cell. */
export type CellContent = JSX.Element | string;

interface TableProps {
  /** What it is, for those who do not see what is around it. */
  readonly label: string;
  readonly headings: readonly string[];
  /** The first cell of each names its row. */
  readonly rows: readonly (readonly CellContent[])[];
}

export function Table({ label, headings, rows }: TableProps): JSX.Element {
  return (
    <table role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {headings.map((heading) => (
            <th role="columnheader" scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((cells) => (
          <tr role="row">
            {cells.map((content, index) =>
              index === 0 ? (
                <th role="rowheader" scope="row">
                  {content}
                </th>
              ) : (
                <td role="cell" data-label={headings[index]}>
                  <span>{content}</span>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
