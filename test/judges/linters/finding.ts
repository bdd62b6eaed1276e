// What a linter found in a manifest, and the exceptions that are argued: the same form for every linter.

/** The linters, by the names of their programs. */
export type Linter = "kubeconform" | "kube-score" | "kubesec";

export interface Finding {
  readonly linter: Linter;
  /** The linter's own name of the check. */
  readonly check: string;
  /** `Kind name` of the object. */
  readonly object: string;
  /** What the linter says, with the container where there is one. */
  readonly says: string;
}

/** Findings that stay, and why. */
export interface Exception {
  readonly linter: Linter;
  readonly check: string;
  /** Which objects, as `Kind name`. Default: all. */
  readonly objects?: RegExp;
  /** Why it is right as it is; a sentence. */
  readonly why: string;
}

const covers = ({ linter, check, objects = /./ }: Exception, finding: Finding): boolean =>
  linter === finding.linter && check === finding.check && objects.test(finding.object);

/** Findings that no exception covers, a line each. */
export function openFindings(findings: readonly Finding[], exceptions: readonly Exception[]): string[] {
  return findings
    .filter((finding) => !exceptions.some((exception) => covers(exception, finding)))
    .map(({ linter, check, object, says }) => `${linter} ${check}: ${object}: ${says}`);
}

/** Exceptions that cover none of the findings, a line each: they can go. */
export function idleExceptions(findings: readonly Finding[], exceptions: readonly Exception[]): string[] {
  return exceptions
    .filter((exception) => !findings.some((finding) => covers(exception, finding)))
    .map(({ linter, check, objects }) => `${linter} ${check} ${objects?.source ?? ""}`);
}
