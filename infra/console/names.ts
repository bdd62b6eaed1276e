// What the shared console is called, and what it is made from.
import { operatorName } from "../../contract/platform";
import type { Settings } from "../config";
import type { InstalledConsole } from "../console-settings";

/** Of all of its objects. */
export const CONSOLE_NAME = `${operatorName}-console`;
/** The key of its ConfigMap with the authority of the proxy. */
export const PROXY_CA_KEY = "proxy-ca.crt";

/** Its pods are none of the operator's. */
export const consoleSelector: Readonly<Record<string, string>> = {
  "app.kubernetes.io/name": CONSOLE_NAME,
  "app.kubernetes.io/component": "console",
};

export interface ConsoleArgs extends Pick<Settings, "namespace" | "networkPolicy" | "apiServerPorts"> {
  readonly image: string;
  readonly console: InstalledConsole;
}
