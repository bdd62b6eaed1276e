// The strings of the spec: what each kind must look like, said in words where a pattern alone would be a riddle.
import { z } from "zod";
import { fitsIn, valueOf } from "./quantity";
import { enginesThat, leastLargeMemory, titlesOf, type EngineName } from "../../contract/engines";
import { isOneOf, rule, type CheckedRule } from "./rules";

/** A DNS label, such as the name of a namespace. */
export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A pattern, without its ends, for names that may have dots. */
export const DNS_NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const GIBIBYTES = /^[1-9][0-9]{0,6}Gi$/;
const MAX_GIBIBYTES = 1_048_576;
const CPU = /^([0-9]{1,7}m|[0-9]{1,4}(\.[0-9]{1,3})?)$/;
const MEMORY = /^[0-9]{1,10}(Ki|Mi|Gi|Ti)$/;
const MAX_MEMORY = "64Ti";
/** Far more than any of these strings needs: of one that is longer the API server says that alone. */
const SHORT = 64;
/** Below this a member does not start. */
const LEAST_MEMORY = "128Mi";

/** The condition in CEL that the string `text` matches `pattern`. */
export const matches = (text: string, pattern: RegExp): string => `${text}.matches(r'${pattern.source}')`;

/**
 * A string of at most `max` characters that matches `pattern`. The pattern is checked by a rule: of the schema's own
 * pattern the API server would only say that the value does not match it.
 */
export function patterned(pattern: RegExp, max: number, message: string): z.ZodString {
  return rule(z.string().max(max), {
    rule: matches("self", pattern),
    message,
    holds: (text) => pattern.test(text),
  });
}

/** The name of an object of a kind; `kind` completes "must be the name of …". */
export const nameOf = (kind: string, example: string): z.ZodString =>
  patterned(
    new RegExp(`^${DNS_NAME}$`),
    253,
    `must be the name of ${kind}: lower-case letters, digits, - and ., for example ${example}`,
  );

/** A CEL expression for the number of gibibytes in the CEL string `text`. */
const gibibytes = (text: string): string => `int(${text}.replace('Gi', ''))`;

/** Whole gibibytes. More than a pebibyte would overflow what Kubernetes counts with. */
export const size = (description: string): z.ZodString =>
  rule(z.string().max(SHORT), {
    rule: `${matches("self", GIBIBYTES)} && ${gibibytes("self")} <= ${MAX_GIBIBYTES}`,
    message: `must be whole gibibytes from 1Gi to ${MAX_GIBIBYTES}Gi, for example 10Gi`,
    holds: (text) => GIBIBYTES.test(text) && Number.parseInt(text, 10) <= MAX_GIBIBYTES,
  }).meta({ description });

/** A CEL rule that a size does not shrink. It is silent where either is no size: that is another rule's to say. */
export const doesNotShrink = (now: string, before: string): string =>
  `!${matches(now, GIBIBYTES)} || !${matches(before, GIBIBYTES)} || ${gibibytes(now)} >= ${gibibytes(before)}`;

/** CPU that is reserved: none is possible, too. */
export const cpuRequest = (description: string): z.ZodString =>
  patterned(CPU, SHORT, 'must be a number of cores, such as "2", "0.5" or 500m').meta({ description });

/** CPU that may be used: without any nothing runs. */
export const cpuLimit = (description: string): z.ZodString =>
  rule(z.string().max(SHORT), {
    rule: `${matches("self", CPU)} && quantity(self).isGreaterThan(quantity('0'))`,
    message: 'must be a number of cores above 0, such as "2", "0.5" or 500m',
    holds: (text) => CPU.test(text) && valueOf(text) > 0,
  }).meta({ description });

/** Memory that is reserved: none is possible, too. */
export const memoryRequest = (description: string): z.ZodString =>
  rule(z.string().max(SHORT), {
    rule: `${matches("self", MEMORY)} && ${isAtMost("self", `'${MAX_MEMORY}'`)}`,
    message: `must be a whole number with Ki, Mi, Gi or Ti, at most ${MAX_MEMORY}, such as 512Mi or 4Gi`,
    holds: (text) => MEMORY.test(text) && fitsIn(text, MAX_MEMORY),
  }).meta({ description });

/** Memory that may be used. */
export const memoryLimit = (description: string): z.ZodString =>
  rule(z.string().max(SHORT), {
    rule: `${matches("self", MEMORY)} && ${isAtMost(`'${LEAST_MEMORY}'`, "self")} && ${isAtMost("self", `'${MAX_MEMORY}'`)}`,
    message: `must be a whole number with Ki, Mi, Gi or Ti, from ${LEAST_MEMORY} to ${MAX_MEMORY}, such as 512Mi or 4Gi`,
    holds: (text) => MEMORY.test(text) && fitsIn(LEAST_MEMORY, text) && fitsIn(text, MAX_MEMORY),
  }).meta({ description });

const isAtMost = (text: string, limit: string): string => `quantity(${text}).compareTo(quantity(${limit})) <= 0`;

/** A CEL rule that one quantity is at most another. It is silent where either is none: that is another rule's to say. */
export const isWithin = (text: string, limit: string): string =>
  `!isQuantity(${text}) || !isQuantity(${limit}) || ${isAtMost(text, limit)}`;

const large = enginesThat(({ memory }) => memory === "large");
const small = enginesThat(({ memory }) => memory === "small");

const limit = "self.resources.limits.memory";

/** What the rule looks at. */
interface Sized {
  readonly engine: EngineName;
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}

/** A rule over the whole spec. */
export const LARGE_MEMORY_RULE: CheckedRule<Sized> = {
  rule: `${isOneOf(small)} || !has(self.resources) || !has(self.resources.limits) || !has(${limit}) || ${isWithin(`'${leastLargeMemory}'`, limit)}`,
  message: `members of ${titlesOf(large)} do not start with less than ${leastLargeMemory}: write ${leastLargeMemory} or more`,
  fieldPath: ".resources.limits.memory",
  holds: ({ engine, resources }) => small.includes(engine) || fitsIn(leastLargeMemory, resources?.limits?.memory),
};
