// Positions of the log, as servers write them, such as `0/5000110`: pure.

/** As a number. */
export const positionOf = (lsn: string): bigint => {
  const [log = "0", offset = "0"] = lsn.split("/");
  return (BigInt(`0x${log}`) << 32n) + BigInt(`0x${offset}`);
};

/** Whether one is not before another. */
export const isUpTo = (lsn: string, wanted: string): boolean => positionOf(lsn) >= positionOf(wanted);
