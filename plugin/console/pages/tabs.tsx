// The pages of one Database.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Place } from "../data/read";
import type { Links } from "./links";

const tabs = {
  ...{ database: "Now", edit: "Preview an edit", history: "History", why: "Why" },
  backups: "Backups",
} as const;
type Tab = keyof typeof tabs;

/** The heading of each. */
export function Title({ place: { namespace, name } }: { readonly place: Place }): JSX.Element {
  return (
    <h1>
      <small>{namespace}/</small>
      {name}
    </h1>
  );
}

interface TabsProps {
  readonly place: Place;
  readonly links: Links;
  readonly current: Tab;
}

export function Tabs({ place, links, current }: TabsProps): JSX.Element {
  return (
    <nav class="tabs" aria-label="Of this Database">
      {(["database", "edit", "history", "why", "backups"] as const).map((tab) => (
        <a href={links[tab](place)} aria-current={tab === current ? "page" : undefined}>
          {tabs[tab]}
        </a>
      ))}
    </nav>
  );
}
