// The lint rule that keeps the layers apart: it looks at what an import names, however that is spelled.
import { dirname, join, relative, sep } from "node:path";

/** Whether `target` is one of `places`, or below one of them. */
const isIn = (target, places) =>
  places.some((place) => target === place || target.startsWith(place.endsWith(":") ? place : `${place}/`));

const withoutExtension = (path) => path.replace(/\.(ts|tsx|js|mjs|json)$/, "");

/** The path below the root, or the package, that `specifier` means in `file`. */
const targetOf = (specifier, file) =>
  specifier.startsWith(".") ? withoutExtension(join(dirname(file), specifier)) : specifier;

const isFor = ({ code, except = [] }, path) => isIn(path, code) && !isIn(path, except);

const isForbidden = ({ only, not = [], allowing = [] }, target) =>
  (only !== undefined && !isIn(target, only)) || (isIn(target, not) && !isIn(target, allowing));

/** Options: the rules of import-rules.mjs. Imports of types count, and so do re-exports and `import(…)`. */
export const importRule = {
  meta: {
    type: "problem",
    schema: { type: "array", items: { type: "object" } },
    messages: { forbidden: "{{ target }} must not be imported here: {{ why }}." },
  },
  create(context) {
    const file = relative(context.cwd, context.filename).replaceAll(sep, "/");
    const rules = context.options.filter((rule) => isFor(rule, withoutExtension(file)));
    const check = ({ source }) => {
      if (typeof source?.value !== "string") return;
      const target = targetOf(source.value, file);
      for (const { why } of rules.filter((rule) => isForbidden(rule, target))) {
        context.report({ node: source, messageId: "forbidden", data: { target, why } });
      }
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};
