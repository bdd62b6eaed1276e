import assert from "node:assert/strict";
import test from "node:test";
import { librariesProblem } from "./libraries";
import { parameterProblems } from "./parameters";

const had = ["auto_explain", "pg_stat_statements", "with,comma"];

for (const list of [
  "",
  " ",
  "auto_explain",
  " auto_explain , pg_stat_statements ",
  "auto_explain.so",
  '"auto_explain"',
  '"with,comma"',
]) {
  test(`libraries of the image are accepted: ${JSON.stringify(list)}`, () => {
    assert.equal(librariesProblem(list, had), undefined);
  });
}

for (const [list, why] of [
  ["auto_explain,nosuch", /names "nosuch", a library that the image does not have: remove it/],
  ["auto_explian", /did you mean "auto_explain"\?/],
  ["with,comma", /names "with"/],
  // the server would read nothing of these, and say so in its log alone
  ["auto_explain,", /names separated by commas/],
  ['"auto_explain', /names separated by commas/],
] as const) {
  test(`a list with anything else is refused: ${list}`, () => {
    assert.match(librariesProblem(list, had) ?? "", why);
  });
}

for (const version of ["15.18", "17.11", "18.6"]) {
  for (const parameter of ["shared_preload_libraries", "session_preload_libraries"]) {
    test(`${parameter} of ${version} is judged by what the image has, and by what another image has besides`, () => {
      const problemsOf = (list: string, libraries?: readonly string[]): string[] =>
        parameterProblems({ [parameter]: list }, version, libraries).map(({ message }) => message);
      assert.deepEqual(problemsOf("pg_stat_statements,auto_explain", []), []);
      assert.match(problemsOf("pgaudit", [])[0] ?? "", /"pgaudit", a library that the image does not have/);
      assert.deepEqual(problemsOf("pg_stat_statements,pgaudit", ["pgaudit"]), []);
      // whose image is not known
      assert.deepEqual(problemsOf("pgaudit"), []);
    });
  }
}
