// The colors, light and dark: text has a contrast of 4.5 and more, edges of 3.
import { css } from "./css";

export const colors = css`
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
