// Specs before and after a change, as the rows of consequences look at them.
import type { Circumstances } from "../../operator/consequences/circumstances";
import { specOf } from "./specs";

type Specs = Pick<Circumstances, "specs">;

/** Of backups. */
export const backupSpecs = (before: object, after: object): Specs => ({
  specs: { before: specOf({ backup: before }), after: specOf({ backup: after }) },
});

export const inBucket = (bucket: string, some = {}): object => ({
  destination: { s3: { bucket, endpoint: "https://s3.example.com", credentials: { name: "s3" }, ...some } },
});

/** Whether commits wait, before and after. */
export const commitSpecs = (before: boolean, after: boolean, some = {}): Specs => {
  const withCommits = (synchronousCommit: boolean): Specs["specs"]["after"] =>
    specOf({ ...some, highAvailability: { synchronousCommit } });
  return { specs: { before: withCommits(before), after: withCommits(after) } };
};
