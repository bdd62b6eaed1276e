// How a resident Pulumi is started, for the operator and for a preview alike.
import { operatorsOwn, pulumiEnvironment } from "../environment";
import { ResidentProcess, type ProcessOptions } from "./process";

/** The program, to be found on PATH. */
export const residentProgram = "pulumi-resident";

/**
 * The provider's own 50 requests a second would hold up runs that share one. How many run at a time is limited, and the API
 * server shares itself out by priority and fairness.
 */
const unlimited = { PULUMI_K8S_CLIENT_QPS: "1000", PULUMI_K8S_CLIENT_BURST: "2000" };

/** Rejects with ResidentGone when it does not get ready. */
export const startResident = (options: Omit<ProcessOptions, "environment">): Promise<ResidentProcess> =>
  ResidentProcess.start({
    ...options,
    environment: { ...operatorsOwn(process.env), ...pulumiEnvironment, ...unlimited },
  });
