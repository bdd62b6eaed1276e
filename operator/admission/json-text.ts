// JSON of which only the outside is read: what is handed on stays the text that it was, numbers with it, and costs no memory of its own.

/** A value as its text. */
export class JsonText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** The members of the object that a text is, in their order. Throws a SyntaxError where it is none; what is in their values is not looked at. */
export function* membersOf(text: string): Generator<readonly [name: string, value: string]> {
  for (const piece of piecesOf(text, "{", "}")) {
    const end = endOfString(piece, 0);
    const value = piece.slice(end + 1).trimStart();
    if (!piece.startsWith('"') || !value.startsWith(":")) throw new SyntaxError("a member needs a name and a value");
    yield [stringIn(piece.slice(0, end + 1)), value.slice(1).trim()];
  }
}

/** The elements of the list that a text is. Throws a SyntaxError where it is none. */
export function elementsOf(text: string): Generator<string> {
  return piecesOf(text, "[", "]");
}

/** The string that a text is. Throws a SyntaxError where it is none. */
export function stringIn(text: string): string {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "string") throw new SyntaxError("this must be a string");
  return value;
}

const codeOf = (character: string): number => character.charCodeAt(0);
/** Compared for each character of megabytes: numbers take half of the time that texts do. */
const [quote, comma] = [codeOf('"'), codeOf(",")];
/** By how much a character changes how deep what follows it is. */
const steps = Int8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return "{[".includes(character) ? 1 : "}]".includes(character) ? -1 : 0;
});

/** What lies between the commas of the outermost brackets. */
function* piecesOf(text: string, open: string, close: string): Generator<string> {
  const inner = insideOf(text, open, close);
  let begin = 0;
  let depth = 0;
  for (let at = 0; at < inner.length; at++) {
    const code = inner.charCodeAt(at);
    if (code === quote) at = endOfString(inner, at);
    else if (code === comma && depth === 0) {
      yield inner.slice(begin, at).trim();
      begin = at + 1;
    } else depth += steps[code] ?? 0;
  }
  if (depth !== 0) throw new SyntaxError("there are too few or too many brackets");
  const rest = inner.slice(begin).trim();
  if (rest !== "" || begin > 0) yield rest;
}

function insideOf(text: string, open: string, close: string): string {
  const whole = text.trim();
  if (whole.length < 2 || !whole.startsWith(open) || !whole.endsWith(close))
    throw new SyntaxError(`this must be between ${open} and ${close}`);
  return whole.slice(1, -1);
}

/** Where the string ends that begins at a place. */
function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (backslashesBefore(text, at) % 2 === 0) return at;
  }
  throw new SyntaxError("a string has no end");
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text.charAt(at - 1 - count) === "\\") count++;
  return count;
}
