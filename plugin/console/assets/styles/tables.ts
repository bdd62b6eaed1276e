// Tables, which are lists of cards on a narrow screen.
import { css } from "./css";

export const tables = css`
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
    overflow-wrap: break-word;
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
  tbody .name {
    display: inline-block;
    min-width: 9rem;
  }
  td small {
    display: block;
  }
  td time,
  th time {
    white-space: nowrap;
  }
  table + * {
    margin-top: 1rem;
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
    th,
    td {
      overflow-wrap: anywhere;
    }
    .effects li {
      display: block;
    }
  }
`;
