// @ts-check
/** The most bytes each package may unpack to. Raising one is a decision: say in the commit what the bytes are for. */
export const CEILINGS = /** @type {Readonly<Record<string, number>>} */ ({
  "@wakeshift/protocol": 200_000,
  "@wakeshift/sdk": 600_000,
  "@wakeshift/core": 900_000,
  "@wakeshift/bridge": 1_200_000,
  wakeshift: 400_000,
});
