// @ts-check
/** The most bytes each package may unpack to. Raising one is a decision: say in the commit what the bytes are for. */
export const CEILINGS = /** @type {Readonly<Record<string, number>>} */ ({
  "@wakeshift/protocol": 170_000,
  "@wakeshift/sdk": 400_000,
  "@wakeshift/core": 520_000,
  "@wakeshift/programs": 250_000,
  "@wakeshift/bridge": 450_000,
  wakeshift: 200_000,
});

/**
 * The most that importing a package's root entry may load, its dependencies included: JavaScript files, and their bytes. It is what
 * the time of an import comes from, without the machine's part in it; `npm run bench` measures the time.
 */
export const IMPORT_CEILINGS = /** @type {Readonly<Record<string, { readonly modules: number, readonly bytes: number }>>} */ ({
  "@wakeshift/sdk": { modules: 310, bytes: 1_400_000 },
});
