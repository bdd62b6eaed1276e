// Ordinary edits by the hundred on simulated nodes: what a preview says of the members is what becomes of them, whatever is edited. EDITS says
// how many, EDITS_SEED which; by default a slice that the number of the commit chooses.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { Elections } from "../edits/election";
import { PodHistory } from "../edits/pod-history";
import { openPreviews, type Previews } from "../edits/previews";
import { editAtRandom } from "../edits/rounds";
import { tuning } from "../edits/grounds";
import { editedCatalogue, simulatedGrounds } from "../edits/simulated";
import { wantedEdits } from "../edits/wanted";
import { minutes } from "../harness/eventually";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { rotating } from "../runner/rotating";

const wanted = wantedEdits(15);
/** On a machine that does much else at the same time. */
const secondsForOne = 20;

rotating("edits", () => {
  let platform: PlatformCluster;
  let operator: OperatorProcess;
  let history: PodHistory;
  let elections: Elections;
  let previews: Previews;

  before(async () => {
    platform = await startPlatformCluster({ nodes: "simulated", catalogue: editedCatalogue });
    history = new PodHistory(platform.environment);
    elections = await Elections.hold(history, platform.environment);
    operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
    previews = await openPreviews(platform);
  });
  after(async () => {
    await previews.close();
    await operator.stop();
    elections.close();
    history.stop();
    await platform.stop();
  });

  const title = `${wanted.text}: of all engines at the same time, with the restarts that the preview names and no others`;
  test(title, { timeout: Math.max(290_000, wanted.edits * secondsForOne * 1000) }, async () => {
    const problems = await editAtRandom({
      ...{ platform, previews, history, wanted, tuning, grounds: Object.values(simulatedGrounds) },
      ...{ mostWithoutPrimary: { several: 15_000, single: 30_000 }, patience: minutes(2) },
    });
    assert.deepEqual(problems, [], problems.join("\n\n"));
  });
});
