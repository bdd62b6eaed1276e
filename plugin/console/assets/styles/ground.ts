// Type, and what is everywhere.
import { css } from "./css";

export const ground = css`
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  html {
    -webkit-text-size-adjust: 100%;
    text-size-adjust: 100%;
  }
  body {
    margin: 0;
    background: var(--ground);
    color: var(--ink);
    font:
      1rem/1.55 system-ui,
      sans-serif;
  }
  main {
    max-width: 72rem;
    margin: 0 auto;
    padding: 1rem clamp(1rem, 4vw, 2rem) 4rem;
  }
  main:focus {
    outline: none;
  }
  h1 {
    margin: 0.5rem 0 0.25rem;
    font-size: 1.75rem;
    font-weight: 650;
    letter-spacing: -0.015em;
    line-height: 1.2;
    overflow-wrap: anywhere;
  }
  h1 small,
  .name small {
    color: var(--soft);
    font-size: inherit;
    font-weight: 400;
  }
  h2 {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
    align-items: baseline;
    margin: 0 0 0.75rem;
    font-size: 1.0625rem;
    font-weight: 600;
  }
  h3 {
    margin: 1.25rem 0 0.5rem;
    font-size: 0.9375rem;
    font-weight: 600;
  }
  p {
    margin: 0 0 0.75rem;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.2em;
  }
  code,
  pre,
  textarea {
    font:
      0.875rem/1.5 ui-monospace,
      monospace;
  }
  code,
  span,
  small,
  ins,
  del {
    unicode-bidi: isolate;
  }
  p,
  li,
  dd {
    overflow-wrap: anywhere;
  }
  small {
    font-weight: 400;
    color: var(--soft);
    font-size: 0.875rem;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 2px;
  }
  .quiet {
    color: var(--soft);
  }
  .words {
    white-space: pre-line;
    overflow-wrap: anywhere;
  }
`;
