// The version of the plugin: that of the package.
import { version } from "../package.json";

export const pluginVersion = (): string => version;
