// How counts of new connections are written.
import type { NewConnections } from "../load/new-connections";

export const newConnectionsText = ({ opened, refused, hung, stale }: NewConnections): string =>
  `${opened}: ${refused} refused, ${hung} hung, ${stale} stale`;
