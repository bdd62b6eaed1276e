// What a program of an agent reads from its environment.
import { existsSync, readFileSync } from "node:fs";

/** The value of a variable. Throws where it is missing or empty. */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: the pod must set it`);
  return value;
}

/** The value of a variable that is a whole number. Throws where it is not one. */
export function requiredNumber(name: string): number {
  const text = required(name);
  if (!/^\d+$/.test(text)) throw new Error(`${name} is "${text}": it must be a whole number`);
  return Number(text);
}

/** The contents of the JSON file that a variable names; undefined where there is none. */
export function optionalJson(name: string): unknown {
  const path = process.env[name];
  return path === undefined || !existsSync(path) ? undefined : JSON.parse(readFileSync(path, "utf8"));
}
