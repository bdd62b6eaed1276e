// Text without what a terminal would act on: messages and objects are written by many, and are printed as they come.

// eslint-disable-next-line no-control-regex -- these are what is looked for
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Text of another program, or of an object. */
export const plainText = (text: string): string => text.replaceAll("\r\n", "\n").replace(controls, "");

/** The same of text with colors of our own, which stay; `colorMark` finds them, as the only group of it. */
export const plainBetween = (colorMark: RegExp, text: string): string =>
  text
    .split(colorMark)
    .map((part, index) => (index % 2 === 0 ? plainText(part) : part))
    .join("");
