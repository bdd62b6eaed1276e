// How the console looks: the system's fonts, one accent, light or dark as the person's system is.
import { colors } from "./styles/colors";
import { forms } from "./styles/forms";
import { frame } from "./styles/frame";
import { ground } from "./styles/ground";
import { parts } from "./styles/parts";
import { tables } from "./styles/tables";

/** The style sheet. */
export const styleSheet = [colors, ground, frame, parts, forms, tables].join("");
