// How Jobs change. They are the only children that are ever replaced.
import type * as pulumi from "@pulumi/pulumi";

/** A Job's template is immutable and its name is fixed: the old one goes before the new one comes. */
export const replacedJob: Pick<pulumi.CustomResourceOptions, "replaceOnChanges" | "deleteBeforeReplace"> = {
  replaceOnChanges: ["spec"],
  deleteBeforeReplace: true,
};
