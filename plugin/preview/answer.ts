// What became of one object of the file.
import type { PreviewReport } from "../../operator/preview/report";

export type Answer =
  | { readonly kind: "report"; readonly database: string; readonly report: PreviewReport }
  /** The operator does not preview: `warnings` are what the API server said of the dry run. */
  | { readonly kind: "unserved"; readonly database: string; readonly why: string; readonly warnings: readonly string[] }
  /** The API server refused it, or could not be asked. */
  | {
      readonly kind: "refused";
      readonly database: string;
      readonly message: string;
      /** Set where it is refused for now alone, as too much is asked at once. */
      readonly isBusy?: boolean;
    }
  /** Not a Database, or one that there is not; `isOpen`: it may lead to a change of one all the same. */
  | { readonly kind: "skipped"; readonly isOpen: boolean; readonly message: string };

/** 2 where one could not be told, else 1 where one would change something. */
export function exitCodeOf(answers: readonly Answer[]): 0 | 1 | 2 {
  const codes = answers.map(codeOf);
  if (codes.includes(2)) return 2;
  return codes.includes(1) ? 1 : 0;
}

function codeOf(answer: Answer): 0 | 1 | 2 {
  switch (answer.kind) {
    case "skipped":
      return answer.isOpen ? 2 : 0;
    case "refused":
    case "unserved":
      return 2;
    case "report":
      return codes[answer.report.outcome];
  }
}

const codes = { Planned: 1, Unchanged: 0, Skipped: 0, Refused: 2, Stalled: 2, Failed: 2 } as const;
