// How an edit stands to a release of the operator that waits, in words.
import { operatorVersion } from "../version";

const named = `the operator's release ${operatorVersion}`;

/** Of an edit that is not carried out without it. */
export const withReleaseText = (why: string): string => `it waits with ${named}: ${why}`;

/** Of one that is. `awaited`: what the release waits for. */
export const besideText = (awaited: string): string => `beside it ${named} keeps waiting for ${awaited}`;
