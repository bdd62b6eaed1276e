// The program of a MongoDB member's container.
import { required, requiredNumber } from "../environment";
import { serve } from "../http/server";
import { KubernetesClient } from "../kubernetes/client";
import { Member } from "./member";
import { serveMetrics } from "./metrics";
import { memberSettings } from "./settings";

/** Runs the member until the pod ends. */
export async function runMember(): Promise<void> {
  const settings = memberSettings();
  if (settings.server === "ferretdb" && settings.ordinal > 0) {
    throw new Error("FerretDB has no replica sets, and this is a second member: write replicas: 1");
  }
  const client = new KubernetesClient({
    host: required("KUBERNETES_SERVICE_HOST"),
    port: requiredNumber("KUBERNETES_SERVICE_PORT"),
    ...(process.env["ACCOUNT_DIRECTORY"] !== undefined && { account: process.env["ACCOUNT_DIRECTORY"] }),
  });
  const member = new Member(settings, client);
  const answers = { isReady: () => member.isReady(), report: () => member.report() };
  const server = await serve(settings.agentPort, answers);
  const { metricsPort } = settings;
  const metrics = metricsPort === undefined ? undefined : await serveMetrics(metricsPort, member.servers);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      member.stop();
    });
  }
  await member.run();
  server.close();
  metrics?.close();
}
