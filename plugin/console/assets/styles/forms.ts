// Buttons and fields.
import { css } from "./css";

export const forms = css`
  button,
  input,
  select,
  textarea {
    border: 1px solid var(--edge);
    border-radius: 0.5rem;
    background: var(--surface);
    color: var(--ink);
    font: inherit;
  }
  button {
    min-height: 2.5rem;
    padding: 0.375rem 1rem;
    font-weight: 550;
    cursor: pointer;
  }
  button:hover {
    background: var(--tint);
  }
  button:disabled {
    opacity: 0.6;
    cursor: default;
  }
  .primary {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
  }
  .primary:hover {
    background: var(--accent);
    filter: brightness(1.1);
  }
  input,
  select {
    min-height: 2.5rem;
    padding: 0.375rem 0.75rem;
  }
  label {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.25rem;
    color: var(--soft);
    font-size: 0.875rem;
  }
  select {
    max-width: 100%;
  }
  textarea {
    width: 100%;
    margin: 0.5rem 0 0.75rem;
    padding: 0.75rem 1rem;
    font-family: ui-monospace, monospace;
    resize: vertical;
    tab-size: 2;
  }
  ::placeholder {
    color: var(--soft);
    opacity: 1;
  }
  .actions,
  .search {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    align-items: end;
  }
  .actions p {
    margin: 0;
    align-self: center;
  }
  .search {
    margin: 1rem 0;
  }
`;
