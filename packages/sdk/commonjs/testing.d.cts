import type * as sdk from "../dist/testing/index.js" with { "resolution-mode": "import" };

export type * from "../dist/testing/index.js" with { "resolution-mode": "import" };
export declare const testingCore: typeof sdk.testingCore;
