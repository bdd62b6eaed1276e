// How a program is made of its sources and libraries: one file of JavaScript, without what the operator never runs.
import { dirname, join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";

/** A module that stands in for another. Text of JavaScript; what it lacks and the program asks for fails the compilation. */
export type StandIn = readonly [modules: RegExp, text: (path: string) => string];

/** Loading these takes longer, and more memory, than all the rest. */
const standIns: readonly StandIn[] = [
  // the kubeconfig and requests: the generated classes of every kind are for clients of their own
  [
    /client-node\/dist\/index\.js$/,
    () => 'export { KubeConfig } from "./config.js"; export * from "./gen/http/http.js";',
  ],
  [
    /client-node\/dist\/gen\/index\.js$/,
    () => `export { createConfiguration } from "./configuration.js"; export * from "./servers.js"; ${restOf}`,
  ],
  // the SDK turns functions into text with these, for Lambdas and dynamic providers
  [/@pulumi\/pulumi\/typescript-shim\.js$/, absent("TypeScript")],
  [/@pulumi\/pulumi\/runtime\/closure\/codePaths\.js$/, absent("the search for a function's packages")],
];

const restOf = 'export * from "./http/http.js"; export * from "./auth/auth.js";';

/** Fails where something of it is called, not where it is loaded. */
export function absent(what: string): () => string {
  const message = `${what} is left out of compiled programs (tools/compile/bundle.ts)`;
  return () => `
    const called = () => { throw new Error(${JSON.stringify(message)}); };
    module.exports = new Proxy({}, { get: (_, name) => (name === "__esModule" ? true : called) });
  `;
}

/** Has these modules in the place of others. */
export const leanBy = (all: readonly StandIn[]): Plugin => ({
  name: "lean",
  setup(build) {
    for (const [filter, text] of all) {
      build.onLoad({ filter }, ({ path }) => ({ contents: text(path), resolveDir: dirname(path) }));
    }
  },
});

/** Options for esbuild. `root` is the repository, `entries` output names and their sources, `version` what `programVersion` answers. */
export function bundleOptions(
  root: string,
  entries: Readonly<Record<string, string>>,
  version: string,
): BuildOptions & { write: false } {
  return {
    absWorkingDir: root,
    entryPoints: { ...entries },
    // nothing is written here: a program is put in place in one step
    outdir: join(root, "dist"),
    write: false,
    bundle: true,
    platform: "node",
    // `import` would resolve a second copy of some packages, and the SDK must be there once
    format: "cjs",
    target: "node24",
    define: { compiledProgramVersion: JSON.stringify(version) },
    // names and lines of stack traces stay readable
    minify: false,
    legalComments: "none",
    plugins: [leanBy(standIns)],
    logLevel: "silent",
  };
}
