// The order in which parameters are written: by name, so that the order in which a user wrote them is no difference.

export const sortedByName = <T>(parameters: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1)));
