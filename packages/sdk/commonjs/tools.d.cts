import type * as sdk from "../dist/tools/index.js" with { "resolution-mode": "import" };

export type * from "../dist/tools/index.js" with { "resolution-mode": "import" };
export declare const attachTools: typeof sdk.attachTools;
