// A style sheet in a template, so that it is laid out as one.
export const css = String.raw;
