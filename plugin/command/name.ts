// What the plugin is called: by people, and by kubectl, which looks for files on PATH.
import { operatorName } from "../../contract/platform";

/** As people write it after `kubectl`. */
export const pluginName = operatorName;

/** The whole command, as help and hints write it. */
export const invocation = `kubectl ${pluginName}`;

/** The field manager of what it writes: the operator's own has the name without `kubectl`. */
export const pluginManager = `kubectl-${pluginName}`;

/** kubectl looks for a file with `_` where the name has `-`: a `-` begins the name of a further command. */
const inFiles = pluginName.replaceAll("-", "_");

/** The file that `kubectl database-operator` runs. */
export const programFile = `kubectl-${inFiles}`;

/** The file that kubectl runs to complete what follows that. */
export const completionFile = `kubectl_complete-${inFiles}`;
