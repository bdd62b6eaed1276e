// Small parts: states, notices, lists.
import { css } from "./css";

export const parts = css`
  .mark {
    display: inline-flex;
    gap: 0.5em;
    align-items: baseline;
    font-size: 0.9375rem;
    font-weight: 550;
  }
  .mark::before {
    flex: none;
    width: 0.55em;
    height: 0.55em;
    border-radius: 50%;
    background: currentcolor;
    content: "";
  }
  .good {
    color: var(--good);
  }
  .busy,
  .needs {
    color: var(--busy);
  }
  .bad {
    color: var(--bad);
  }
  .mark.quiet::before {
    background: none;
    border: 1px solid currentcolor;
  }
  .notice,
  .warning {
    padding: 0.625rem 0.875rem;
    border-left: 3px solid var(--accent);
    border-radius: 0 0.375rem 0.375rem 0;
    background: var(--tint);
    overflow-wrap: anywhere;
  }
  .warning {
    border-color: var(--busy);
  }
  .effects,
  .commands {
    display: grid;
    gap: 0.5rem;
    margin: 0 0 1rem;
    padding: 0;
    list-style: none;
  }
  .effects li {
    display: grid;
    grid-template-columns: 9rem 1fr;
    gap: 0.75rem;
    align-items: baseline;
  }
  .chain {
    margin: 0;
    padding-left: 1.25rem;
  }
  dl {
    margin: 0;
  }
  dt {
    font-weight: 550;
  }
  dd {
    margin: 0 0 0.75rem;
  }
  ins {
    color: var(--good);
    text-decoration: none;
  }
  del {
    color: var(--soft);
  }
  pre {
    margin: 0 0 0.75rem;
    padding: 0.75rem 1rem;
    border-radius: 0.5rem;
    background: var(--ground);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  meter {
    width: 4rem;
    height: 0.625rem;
    vertical-align: baseline;
  }
`;
