import type * as sdk from "../dist/index.js" with { "resolution-mode": "import" };

export type * from "../dist/index.js" with { "resolution-mode": "import" };
export declare const Wakeshift: typeof sdk.Wakeshift;
export type Wakeshift = sdk.Wakeshift;
export declare const WakeshiftError: typeof sdk.WakeshiftError;
export type WakeshiftError = sdk.WakeshiftError;
export declare const emitNamed: typeof sdk.emitNamed;
