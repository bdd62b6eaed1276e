// The API server's own remark below a refusal, that not all rules were looked at, in words that a person can use.

/**
 * Since a value of a wrong type, one that is not in the list, that is missing or too long keeps all rules in CEL from being checked, wherever they
 * stand, this comes with each of them; and as it is about no field, it begins with `<nil>: Invalid value: null`.
 */
const remark =
  /<nil>: Invalid value: "?null"?: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation/g;

/** The refusal with that remark in plain words. */
export const withPlainRemark = (refusal: string): string =>
  refusal.replaceAll(remark, "further rules are checked once this is corrected");
