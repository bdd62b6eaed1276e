// A warm process that previews by the code of `make preview`: the cluster and Pulumi are opened once.
import { KubeConfig } from "@kubernetes/client-node";
import { accessOf } from "../../../operator/kube/access";
import { openCluster } from "../../../operator/preview/cluster";
import { prepareApply } from "../../../operator/preview/prepare";
import { openPreviewer, previewed } from "../../../operator/preview/run";
import { operatorNamespace } from "../cluster";
import { z } from "zod";
import { specWith } from "../spec";
import type { Command } from "./protocol";
import { serve } from "./serve";

const Database = z.looseObject({ spec: z.looseObject({}) });

const config = new KubeConfig();
config.loadFromDefault();
const opened = openCluster(accessOf(config), operatorNamespace).then(async (cluster) => ({
  cluster,
  stacks: await openPreviewer("auto", cluster.passphrase, new AbortController().signal),
}));

/** The API server has said already what the object would be: that is kubectl's part. */
serve(async ({ namespace, name, workMem }: Command) => {
  const { cluster, stacks } = await opened;
  const object = Database.parse(await cluster.database(`${namespace}/${name}`));
  const spec = { ...object.spec, config: specWith(workMem).config };
  const prepared = await prepareApply({ ...object, spec }, cluster, { refresh: false });
  if (prepared.kind !== "change") throw new Error(`there is nothing to preview: ${JSON.stringify(prepared)}`);
  const plan = await previewed(prepared, stacks);
  const isShown = plan.kind === "plan" && plan.steps.some(({ operation }) => operation === "update");
  if (!isShown) throw new Error(`the preview does not show the change: ${JSON.stringify(plan)}`);
  return undefined;
});
