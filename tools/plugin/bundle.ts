// The plugin as one file of JavaScript, made to start fast.
import { join } from "node:path";
import { build } from "esbuild";
import { oldestNode } from "./package";
import { absent, leanBy, type StandIn } from "../compile/bundle";

/** What is parsed at every start, and never runs. Requests are Node's own: of the client library only the kubeconfig is needed. */
const standIns: readonly StandIn[] = [
  [/client-node\/dist\/index\.js$/, () => 'export { KubeConfig } from "./config.js";'],
  [/client-node\/dist\/(gen\/index|middleware)\.js$/, absent("the generated client")],
  [/node_modules\/undici\/index\.js$/, absent("undici")],
  // kubectl renews tokens: plugin/cluster/access.ts
  [/node_modules\/openid-client\/build\/index\.js$/, absent("the client of identity providers")],
  // a quarter of a megabyte of translations
  [/zod\/v4\/locales\/index\.js$/, () => 'export { default as en } from "./en.js";'],
];

/**
 * What CommonJS has, for a module: a file without an extension is one where a package.json above it says so, in a home directory perhaps.
 * Only Node's own modules are asked for, and nothing is exported.
 */
const commonJs =
  'var require = typeof require === "undefined" ? process.getBuiltinModule : require, ' +
  'module = typeof module === "undefined" ? {} : module;';

/** Text of the program. It begins with the line by which a shell finds Node. */
export async function bundledPlugin(root: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "plugin/main.ts")],
    outdir: join(root, "dist/plugin"),
    write: false,
    bundle: true,
    platform: "node",
    // what is imported where it is needed stays in the file, and runs only there
    format: "cjs",
    target: `node${oldestNode}`,
    minify: true,
    legalComments: "none",
    banner: { js: `#!/usr/bin/env node\n${commonJs}` },
    plugins: [leanBy(standIns)],
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("the plugin was not bundled");
  return file.text;
}
