// Ordinary edits, one after the other and two at once, of Databases on a real node: what a preview says of the members is what becomes of
// real servers, never are two of them away at once, and the primary is not away for longer than a switchover takes. EDITS says how many.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { PodHistory } from "../edits/pod-history";
import { openPreviews, type Previews } from "../edits/previews";
import { realGrounds } from "../edits/real";
import { editAtRandom } from "../edits/rounds";
import { tuning } from "../edits/grounds";
import { wantedEdits } from "../edits/wanted";
import { imagesOfMinors } from "../harness/built-versions";
import { minutes } from "../harness/eventually";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { rotating } from "../runner/rotating";

const wanted = wantedEdits(9);
/** Each may restart three members, one after the other. */
const secondsForOne = 60;

rotating("edits-real", () => {
  let platform: PlatformCluster;
  let operator: OperatorProcess;
  let history: PodHistory;
  let previews: Previews;

  before(async () => {
    platform = await startPlatformCluster({ nodes: "real", extraImages: imagesOfMinors });
    history = new PodHistory(platform.environment);
    operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
    previews = await openPreviews(platform);
  });
  after(async () => {
    await previews.close();
    await operator.stop();
    history.stop();
    await platform.stop();
  });

  const title = `${wanted.text}: on a real node the members restart that the preview names, one at a time, and the primary is soon back`;
  test(title, { timeout: Math.max(600_000, wanted.edits * secondsForOne * 1000) }, async () => {
    const problems = await editAtRandom({
      ...{ platform, previews, history, wanted, tuning, grounds: realGrounds(platform) },
      ...{ mostWithoutPrimary: { several: 15_000, single: 60_000 }, patience: minutes(4) },
    });
    assert.deepEqual(problems, [], problems.join("\n\n"));
  });
});
