// Where everything is, below the path that the console is served under.
import type { Place } from "../data/read";

export interface Links {
  readonly fleet: string;
  readonly upgrade: string;
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  readonly database: (place: Place) => string;
  readonly edit: (place: Place) => string;
  readonly backups: (place: Place) => string;
  readonly why: (place: Place) => string;
  readonly history: (place: Place) => string;
  readonly revision: (place: Place, revision: number) => string;
  readonly rollback: (place: Place, revision: number) => string;
  readonly approve: (place: Place) => string;
  readonly withdraw: (place: Place) => string;
  /** What tells the script that something has changed: of one Database, or of all. */
  readonly changes: (place?: Place) => string;
}

/** `base`: empty, or a path that begins with a slash and ends without one. */
export function linksUnder(base: string): Links {
  const at = ({ namespace, name }: Place): string =>
    `${base}/databases/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return {
    ...{ fleet: `${base}/`, style: `${base}/assets/console.css`, script: `${base}/assets/console.js` },
    icon: `${base}/assets/icon.svg`,
    upgrade: `${base}/upgrade`,
    database: at,
    edit: (place) => `${at(place)}/edit`,
    backups: (place) => `${at(place)}/backups`,
    why: (place) => `${at(place)}/why`,
    history: (place) => `${at(place)}/history`,
    revision: (place, revision) => `${at(place)}/history/${revision}`,
    rollback: (place, revision) => `${at(place)}/history/${revision}/rollback`,
    approve: (place) => `${at(place)}/approve`,
    withdraw: (place) => `${at(place)}/withdraw`,
    changes: (place) => (place === undefined ? `${base}/changes` : `${at(place)}/changes`),
  };
}
