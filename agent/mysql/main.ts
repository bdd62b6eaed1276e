// The program of a MySQL member's container.
import { serve } from "../http/server";
import { requiredNumber, required } from "../environment";
import { KubernetesClient } from "../kubernetes/client";
import { Member } from "./member";
import { memberSettings } from "./settings";

/** Runs the member until the pod ends. */
export async function runMember(): Promise<void> {
  const settings = memberSettings();
  const client = new KubernetesClient({
    host: required("KUBERNETES_SERVICE_HOST"),
    port: requiredNumber("KUBERNETES_SERVICE_PORT"),
    ...(process.env["ACCOUNT_DIRECTORY"] !== undefined && { account: process.env["ACCOUNT_DIRECTORY"] }),
  });
  const member = new Member(settings, client);
  const server = await serve(settings.agentPort, {
    isReady: () => member.isReady(),
    report: () => member.report(),
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      member.stop();
    });
  }
  await member.run();
  server.close();
}
