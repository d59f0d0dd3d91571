/**
 * The ways an agent's program reaches a server. `flags` start it so; `era` is what the client speaks.
 * `sessions`: the server keeps what `initialize` said. `stateless`: each request stands alone. `modern`: there is no `initialize`.
 */
export const WAYS = {
  stateless: { flags: [], era: "2025-11-25" },
  sessions: { flags: ["--sessions"], era: "2025-11-25" },
  modern: { flags: [], era: "2026-07-28" },
  stdio: { flags: ["--stdio"], era: "2025-11-25" },
  "stdio-modern": { flags: ["--stdio"], era: "2026-07-28" },
};

/** Where a check runs that doesn't say otherwise. */
export const EVERYWHERE = ["stateless", "sessions", "modern"];
