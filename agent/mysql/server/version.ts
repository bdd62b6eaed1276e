// The version of the server in this image.
import { output } from "../../restore/output";

/** Such as "9.7.4". */
export const versionOfServer = async (): Promise<string> =>
  /\d+(\.\d+)+/.exec(await output("mysqld", ["--version"]))?.[0] ?? "";
