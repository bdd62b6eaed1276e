// A page that says why there is no other: what is missing, in plain words, and what to do.
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Page } from "./shell";

export interface Said {
  readonly title: string;
  readonly sentences: readonly string[];
  /** Where to look next. */
  readonly next?: { readonly href: string; readonly words: string };
}

export const saidPage = ({ title, sentences, next }: Said): Page => {
  const body: JSX.Element = (
    <section class="card said">
      <h1>{title}</h1>
      {sentences.map((sentence) => (
        <p class="words">{sentence}</p>
      ))}
      {next !== undefined && (
        <p>
          <a href={next.href}>{next.words}</a>
        </p>
      )}
    </section>
  );
  return { title, body };
};
