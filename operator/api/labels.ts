// Labels and annotations that a person writes, and those that are not theirs to write.
import { z } from "zod";
import { DNS_NAME, matches, patterned } from "./fields";
import { rule } from "./rules";

/** A key of a label or annotation. */
export const LABEL_KEY = new RegExp(`^(${DNS_NAME}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`);
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
/** Labels by which the operator knows what it created. */
const OWN_LABELS =
  /^(app|database|app\.kubernetes\.io\/(name|instance|component|managed-by)|database\.example\.com\/.*)$/;
/** Those by which Services, and controllers of the cluster, find pods. */
const POD_LABELS =
  /^(role|controller-revision-hash|pod-template-hash|job-name|controller-uid|app\.kubernetes\.io\/version|(statefulset|apps|batch)\.kubernetes\.io\/.*|service\.kubernetes\.io\/(headless|service-proxy-name))$/;
/** What the operator and its programs write, and what would take a pod's restrictions from it. */
const OWN_ANNOTATIONS =
  /^(status|(database\.example|([^/]*\.)?pulumi)\.com\/.*|kubectl\.kubernetes\.io\/.*|(container\.apparmor\.security\.beta|seccomp\.security\.alpha|container\.seccomp\.security\.alpha)\.kubernetes\.io\/.*)$/;

/** The most entries of one map. */
export const mostLabels = 16;
const ANNOTATION_CHARACTERS = 1024;
const TEXT = /^[\P{Cc}\n\t]*$/u;

/** The value of a label. */
export const labelValue = (): z.ZodString =>
  patterned(
    LABEL_VALUE,
    63,
    "must be a label value: letters, digits, -, _ and ., beginning and ending with a letter or digit, or empty",
  );

type StringMap = z.ZodRecord<z.ZodString, z.ZodString>;

/** A map whose keys are those of labels; `what` they are is said where one is not. */
export const keyed = (value: z.ZodString, what = "label", example = "release or example.com/team"): StringMap =>
  rule(
    z.record(z.string(), value).refine((map) => Object.keys(map).length <= mostLabels, {
      message: `must have at most ${mostLabels} entries`,
    }),
    {
      rule: `self.all(key, size(key) <= 253 && ${matches("key", LABEL_KEY)})`,
      message: `every key must be a${what === "annotation" ? "n" : ""} ${what} key, for example ${example}`,
      holds: (map) => Object.keys(map).every((key) => key.length <= 253 && LABEL_KEY.test(key)),
    },
  ).meta({ maxProperties: mostLabels });

const without = (map: StringMap, keys: RegExp, message: string): StringMap =>
  rule(map, {
    rule: `!self.exists(key, ${matches("key", keys)})`,
    message,
    holds: (written) => !Object.keys(written).some((key) => keys.test(key)),
  });

/** Labels beside those of the operator. */
export const labels = (): StringMap =>
  without(
    keyed(labelValue()),
    OWN_LABELS,
    "must leave out the labels that the operator sets itself: app, database, app.kubernetes.io/name, instance, component and managed-by, and all of database.example.com",
  );

/** Labels of pods and Services beside those that others find them by. */
export const podLabels = (): StringMap =>
  without(
    labels(),
    POD_LABELS,
    "must leave out the labels that members and controllers set: role, app.kubernetes.io/version, controller-revision-hash, pod-template-hash, job-name, controller-uid, all of statefulset, apps and batch.kubernetes.io, and headless and service-proxy-name of service.kubernetes.io",
  );

/** Annotations beside those of the operator. */
export const annotations = (): StringMap =>
  without(
    keyed(
      patterned(TEXT, ANNOTATION_CHARACTERS, "must be text without control characters other than line breaks and tabs"),
      "annotation",
      "example.com/owner",
    ),
    OWN_ANNOTATIONS,
    "must leave out what the operator and kubectl set (status, and all of database.example.com, pulumi.com and kubectl.kubernetes.io), and what would lift the restrictions of pods (apparmor and seccomp)",
  );
