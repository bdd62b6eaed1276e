// The small file with which a compiled program starts: it says how V8 is to treat the large one before that is read.

/** Text of the launcher of `programs/<name>`, in the directory above. */
export const launcherOf = (name: string): string => `// Starts programs/${name}. Written by tools/compile/launcher.ts.
const { enableCompileCache } = require("node:module");
// beside the program, so that no one else can put code there; where it is not writable, there is none
enableCompileCache?.(require("node:path").join(__dirname, ".cache"));
require("./programs/${name}");
`;
