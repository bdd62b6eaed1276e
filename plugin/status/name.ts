// What `-o name` prints.
import { kindOf, kinds } from "../cluster/paths";

export const nameOf = ({ name }: { readonly name: string }): string => `${kindOf(kinds.databases)}/${name}`;
