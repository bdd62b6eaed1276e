// Asks what something would do: nothing is changed by looking.
import type { JSX } from "hono/jsx/jsx-runtime";

export const ShowButton = (): JSX.Element => (
  <p class="actions">
    <button type="submit" class="primary">
      Show what it would do
    </button>
  </p>
);
