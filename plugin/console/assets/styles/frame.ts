// What is around a page, and its sections.
import { css } from "./css";

export const frame = css`
  .skip {
    position: absolute;
    left: -99rem;
    padding: 0.5rem 1rem;
    background: var(--surface);
  }
  .skip:focus {
    left: 1rem;
    top: 0.5rem;
    z-index: 1;
  }
  .top {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.5rem;
    align-items: baseline;
    justify-content: space-between;
    max-width: 72rem;
    margin: 0 auto;
    padding: 1rem clamp(1rem, 4vw, 2rem) 0;
  }
  .home {
    padding: 0.25rem 0;
    color: var(--ink);
    font-weight: 650;
    text-decoration: none;
  }
  .user {
    margin: 0;
    color: var(--soft);
    font-size: 0.875rem;
    overflow-wrap: anywhere;
  }
  .lead {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    align-items: baseline;
    margin-bottom: 1.25rem;
    color: var(--soft);
  }
  .tabs {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1.5rem;
    margin-bottom: 1.25rem;
    border-bottom: 1px solid var(--line);
  }
  .tabs a {
    padding: 0.5rem 0;
    border-bottom: 2px solid transparent;
    color: var(--soft);
    text-decoration: none;
  }
  .tabs a:hover {
    color: var(--ink);
  }
  .tabs [aria-current] {
    border-color: var(--accent);
    color: var(--ink);
    font-weight: 600;
  }
  .card {
    margin: 0 0 1.25rem;
    padding: 1.25rem clamp(1rem, 3vw, 1.5rem);
    border: 1px solid var(--line);
    border-radius: 0.75rem;
    background: var(--surface);
    box-shadow: var(--shadow);
  }
  .card > :last-child {
    margin-bottom: 0;
  }
  .flush > h2,
  .inset {
    margin-bottom: 0.75rem;
  }
  .pending {
    border-color: var(--accent);
  }
  .said {
    max-width: 40rem;
    margin-top: 3rem;
  }
  .said h1 {
    margin-top: 0;
  }
  .empty {
    color: var(--soft);
  }
  .live-state {
    min-height: 1.25rem;
    margin: 0;
    color: var(--soft);
    font-size: 0.8125rem;
    text-align: right;
  }
`;
