const ratio = (name) => (round) => round.overhead[name].ratio;
const atMost = (name, goal, text) => ({ name: text, goal, atLeast: false, ratio: ratio(name) });

/** What attaching may cost, p50 of an attached server over that of the same one bare. */
export const OVERHEAD_GOALS = [
  atMost("list20", 1.05, "tools/list of 20 tools, attached / bare"),
  atMost("list500", 1.05, "tools/list of 500 tools, attached / bare"),
  atMost("call20", 1.05, "call of an unwrapped tool of 20, attached / bare"),
  atMost("call500", 1.05, "call of an unwrapped tool of 500, attached / bare"),
  atMost("wrapped20", 1.1, "call of a wrapped tool that subscribes nothing / bare"),
  atMost("import", 1.5, "import of @wakeshift/sdk / of @modelcontextprotocol/server"),
];

export const OVERHEAD_FIGURES = [
  ["tools/list of 20 tools over stdio, bare, p50 ms", (round) => round.overhead.list20.bare],
  ["tools/list of 500 tools over stdio, bare, p50 ms", (round) => round.overhead.list500.bare],
  ["tools/call over stdio, bare, p50 ms", (round) => round.overhead.call20.bare],
  ["import of @modelcontextprotocol/server, ms", (round) => round.overhead.import.bare],
];
