// Reports when claims or volumes change.
import { KubeConfig, Watch } from "@kubernetes/client-node";

const PATHS = ["/api/v1/persistentvolumeclaims", "/api/v1/persistentvolumes"];
const RETRY_MILLISECONDS = 1000;
/** A watch can be blind for a while without knowing it: then this is how long a claim waits at most. */
const LOOK_AGAIN_MILLISECONDS = 10_000;

/** Calls `onChange` at once, after every change and every ten seconds, for as long as the process lives; lost connections are renewed. */
export function watchChanges(kubeconfig: string, onChange: () => void): void {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const watch = new Watch(config);
  for (const path of PATHS) {
    const connect = (): void => {
      const again = (): void => {
        setTimeout(connect, RETRY_MILLISECONDS);
      };
      // without a resourceVersion a watch begins with all that exists
      watch.watch(path, { timeoutSeconds: 600 }, onChange, again).catch(again);
    };
    connect();
  }
  setInterval(onChange, LOOK_AGAIN_MILLISECONDS);
  onChange();
}
