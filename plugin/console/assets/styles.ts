// How the console looks: the system's fonts, one accent, light or dark as the person's system is.
const css = String.raw;

const colors = css`
  :root {
    color-scheme: light dark;
    --ground: #f7f7f5;
    --surface: #ffffff;
    --ink: #1d2023;
    --soft: #575e66;
    --line: #e3e4e1;
    --edge: #878e96;
    --accent: #0a6c74;
    --on-accent: #ffffff;
    --good: #17713f;
    --busy: #855300;
    --bad: #b3261e;
    --tint: #eef5f5;
    --shadow: 0 1px 2px rgb(0 0 0 / 5%);
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #131619;
      --surface: #1a1e22;
      --ink: #e7e9eb;
      --soft: #a0a8b0;
      --line: #2a3036;
      --edge: #7d868f;
      --accent: #63c9c9;
      --on-accent: #06211f;
      --good: #62cf93;
      --busy: #e6b455;
      --bad: #ff8f85;
      --tint: #1c2a2c;
      --shadow: none;
    }
  }
`;

const ground = css`
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
    margin: 1.5rem 0 0.25rem;
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
    overflow-wrap: anywhere;
  }
  small {
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

const frame = css`
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

const parts = css`
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
  .effects .mark {
    min-width: 8.5rem;
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

const forms = css`
  button,
  input,
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
  input {
    min-height: 2.5rem;
    padding: 0.375rem 0.75rem;
  }
  label {
    display: grid;
    gap: 0.25rem;
    color: var(--soft);
    font-size: 0.875rem;
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
    margin-bottom: 1.25rem;
  }
`;

const tables = css`
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.9375rem;
  }
  thead th {
    color: var(--soft);
    font-size: 0.8125rem;
    font-weight: 550;
  }
  th,
  td {
    padding: 0.625rem 1rem 0.625rem 0;
    border-bottom: 1px solid var(--line);
    text-align: left;
    vertical-align: baseline;
    overflow-wrap: anywhere;
  }
  tbody tr:last-child > * {
    border-bottom: 0;
  }
  tbody th {
    font-weight: 550;
  }
  th:last-child,
  td:last-child {
    padding-right: 0;
  }
  td small {
    display: block;
  }
  @media (max-width: 46rem) {
    table,
    tbody,
    tr,
    tbody th,
    td {
      display: block;
    }
    thead {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    tbody tr {
      padding: 0.75rem 0;
      border-bottom: 1px solid var(--line);
    }
    tbody tr:last-child {
      border-bottom: 0;
    }
    tbody th,
    td {
      padding: 0.125rem 0;
      border: 0;
    }
    td {
      display: grid;
      grid-template-columns: 7.5rem 1fr;
      gap: 0.75rem;
    }
    td::before {
      color: var(--soft);
      content: attr(data-label);
    }
    .effects .mark {
      min-width: 0;
    }
  }
`;

/** The style sheet. */
export const styleSheet = [colors, ground, frame, parts, forms, tables].join("");
