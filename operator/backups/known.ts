/** What there is of these texts. */
export function known<T extends string>(texts: Readonly<Record<T, string | undefined>>): Partial<Record<T, string>> {
  const found: Partial<Record<T, string>> = {};
  for (const name in texts) if (texts[name] !== undefined) found[name] = texts[name];
  return found;
}
