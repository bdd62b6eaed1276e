// Names as Kubernetes takes them.
import { z } from "zod";

export const NamespaceName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "is not a valid namespace name");
