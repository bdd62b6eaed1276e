import assert from "node:assert/strict";
import test from "node:test";
import { withPlainRemark } from "./unchecked-rules";

const reason =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

test("what kubectl prints of a refusal has no <nil>", () => {
  const printed = `The Database "shop" is invalid: \n* spec.engine: Unsupported value: "oracle": supported values: "postgresql", "mysql", "mongodb"\n* <nil>: Invalid value: null: ${reason}`;
  const said = `The Database "shop" is invalid: \n* spec.engine: Unsupported value: "oracle": supported values: "postgresql", "mysql", "mongodb"\n* further rules are checked once this is corrected`;
  assert.equal(withPlainRemark(printed), said);
});

test("nor does the API server's answer", () => {
  const answer = `Database.example.com "shop" is invalid: [spec.version: Required value, <nil>: Invalid value: "null": ${reason}]`;
  assert.match(withPlainRemark(answer), /\[spec\.version: Required value, further rules are checked once .*\]$/);
});

test("any other refusal stays as it is", () => {
  const refusal = 'spec.storage: Invalid value: "1Gi": must not shrink';
  assert.equal(withPlainRemark(refusal), refusal);
});
