// Strings that mean something to a shell, YAML, SQL, a template or a terminal; and words that mean something to a parser alone.

/** Every one would run, break out of its place or mislead a reader if it were not kept as data. Not one is a name. */
export const hostileStrings: Readonly<Record<string, string>> = {
  blank: " ",
  "a line break": "a\nb",
  "a carriage return": "a\rb",
  "a tab": "a\tb",
  "the character NUL": "a\u0000b",
  "an escape sequence": "\u001b[31ma",
  "the control character NEL": "a\u0085b",
  "a line separator": "a\u2028b",
  "a single quote": "a'b",
  "a double quote": 'a"b',
  "a backslash": "a\\b",
  "a backslash at the end": "a\\",
  "a command substitution": "$(touch canary)",
  backquotes: "`touch canary`",
  "a second command": "a; touch canary",
  "a command after an and": "a && touch canary",
  "a pipe": "a | touch canary",
  "a redirection": "a > canary",
  "an option": "--output=canary",
  "a variable": "${PATH}",
  "a variable of Kubernetes": "$(POD_IP)",
  "a format": "%s%n%p",
  "a YAML mapping": "a: b",
  "a YAML list": "- a",
  "a YAML anchor and alias": "&a *a",
  "a YAML tag": "!!python/object/apply:os.system [touch canary]",
  "a YAML flow": "{a: b, c: [d]}",
  "a YAML comment": "a # b",
  "a YAML document": "---\na: b",
  "a YAML block": "|\n  a",
  "the end of a statement": "'; DROP TABLE canary; --",
  "a dollar quote": "$$; DROP TABLE canary; $$",
  "a SQL comment": "a /* b",
  "a template": "{{ .Values.a }}",
  "a template of JavaScript": "${process.env.PATH}",
  "a path upwards": "../../canary",
  "an absolute path": "/canary",
  "an encoded path": "%2e%2e%2fcanary",
  "an emoji": "😀",
  "a right-to-left override": "a\u202eb",
  "a zero-width space": "a\u200bb",
  "a decomposed letter": "e\u0301",
  "a non-breaking space": "a\u00a0b",
  "digits of another script": "\uff11\uff10",
  "half a surrogate pair": "a\ud800b",
  "the prototype": "__proto__",
};

/** Which of them no single line of a configuration file can hold. */
export const isOneLine = (text: string): boolean => !/\p{Cc}/u.test(text);

/** Plain names, but with a meaning of their own to YAML or JavaScript. */
export const words: readonly string[] = ["null", "true", "constructor", "1e3"];
