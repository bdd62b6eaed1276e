// How a preview says that a change would wait by the change policy. It imports nothing.

const head = "by the change policy it waits for ";

/** Of what it waits for, in words. */
export const waitsText = (what: readonly string[]): string => `${head}${what.join(" and ")}`;

/** What it waits for, out of that sentence. */
export const awaitedIn = (text: string): string => (text.startsWith(head) ? text.slice(head.length) : text);
