// The operator's version, as package.json has it.
import manifest from "../package.json";

export const operatorVersion: string = manifest.version;
