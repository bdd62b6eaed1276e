// Texts that something else must leave room for.

/** `text` with at most `longest` characters, the last of which says that there was more. */
export const shortened = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
