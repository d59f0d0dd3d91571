/** This package's version, as the core is told it. A test keeps it equal to package.json. */
export const VERSION = "0.11.0";
