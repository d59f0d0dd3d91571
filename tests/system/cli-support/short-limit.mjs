// Loaded before the command: what it gives twenty seconds at most is over after two. Every other timer keeps its time.
const { setTimeout: start } = globalThis;
globalThis.setTimeout = (act, ms, ...rest) => start(act, ms === 20_000 ? 2_000 : ms, ...rest);
