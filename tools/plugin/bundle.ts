// The plugin as one file of JavaScript, made to start fast.
import { join } from "node:path";
import { build } from "esbuild";
import { oldestNode } from "./package";
import { noticesOf } from "./notices";
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

export interface Bundle {
  /** Text of the program. It begins with the line by which a shell finds Node. */
  readonly text: string;
  /** The licenses of what is in it. */
  readonly notices: string;
}

export async function bundledPlugin(root: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "plugin/main.ts")],
    outdir: join(root, "dist/plugin"),
    write: false,
    metafile: true,
    bundle: true,
    platform: "node",
    // what is imported where it is needed stays in the file, and runs only there
    format: "cjs",
    target: `node${oldestNode}`,
    minify: true,
    // in a file of their own
    legalComments: "none",
    banner: { js: `#!/usr/bin/env node\n${commonJs}` },
    plugins: [leanBy(standIns)],
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("the plugin was not bundled");
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return { text: file.text, notices: await noticesOf(root, used) };
}
