// Events tell what happened, each in a word of the closed list and none of them again and again.
import { isReason } from "../../../operator/api/reasons";
import { fieldManager } from "../../../components/naming";
import type { EventView, Invariant } from "./snapshot";

/** How often one Database may be said to have met the same thing. */
const most = 10;

export const events: Invariant = {
  name: "events",
  promise: `no event of the operator is repeated more than ${most} times, and each has a reason of the list`,
  judge: (snapshot) => {
    const own = snapshot.events.filter(({ source }) => source === fieldManager);
    const unknown = own.filter(({ reason }) => !isReason(reason)).map((event) => `${textOf(event)}: unknown reason`);
    return [...new Set([...unknown, ...floods(own)])];
  },
};

const textOf = ({ reason, about, namespace }: EventView): string => `${reason} of ${about} in ${namespace}`;

function floods(own: readonly EventView[]): string[] {
  const counts = new Map<string, { readonly event: EventView; count: number }>();
  for (const event of own) {
    const id = [event.uid, event.reason, event.message].join("\n");
    const known = counts.get(id);
    if (known === undefined) counts.set(id, { event, count: event.count });
    else known.count += event.count;
  }
  return [...counts.values()]
    .filter(({ count }) => count > most)
    .map(({ event, count }) => `${textOf(event)} was reported ${count} times: ${event.message}`);
}
