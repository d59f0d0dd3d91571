// The floors of the house, as `npm run check:structure` holds them. Sizes of files and functions are ESLint's business.

/** Which packages a room may import. Arrows go down only: a new one is a decision, made here. */
const ARROWS = {
  "packages/protocol": [],
  "packages/sdk": ["protocol"],
  "packages/core": ["protocol"],
  "packages/programs": ["protocol"],
  "packages/bridge": ["protocol", "programs"],
  "packages/cli": ["protocol", "sdk", "core", "programs", "bridge"],
  "examples/crawler": ["sdk", "protocol"],
  plugins: [],
};

const rooms = Object.keys(ARROWS).join("|");
/** A package of ours: by its folder where it is built, by its name where it isn't. */
const OURS = "^(?:packages/|@wakeshift/|wakeshift$)";
const packages = (names) => names.flatMap((name) => [`^packages/${name}/`, `^@wakeshift/${name}$`]);

const arrows = Object.entries(ARROWS).map(([room, allowed]) => ({
  name: `arrows-of-${room.split("/").at(-1)}`,
  comment: `${room} may import: ${allowed.join(", ") || "nothing of ours"}. Arrows go down only: move the shared part down, or pass it in.`,
  severity: "error",
  from: { path: `^${room}/` },
  to: { path: OURS, pathNot: [`^${room}/`, ...packages(allowed)] },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...arrows,
    {
      name: "unknown-room",
      comment: "A new room. Say in .dependency-cruiser.mjs what it may import.",
      severity: "error",
      from: { path: "^(?:packages|examples)/", pathNot: `^(?:${rooms})/` },
      to: { path: OURS },
    },
    {
      name: "inside-of-a-package",
      comment: "Import the other package by its name, never by a path into it. What it doesn't export is private.",
      severity: "error",
      from: { path: "^(packages/[^/]+|[^/]+)/" },
      to: { path: "^packages/[^/]+/src/", pathNot: "^$1/" },
    },
    {
      name: "unpublished-entry",
      comment: "The package publishes no such entry: export it there by name, or move the code.",
      severity: "error",
      from: {},
      to: { path: "^(?:@wakeshift/[^/]+|wakeshift)/", couldNotResolve: true },
    },
    {
      name: "circle-of-files",
      comment: "Types count too. Move what both need into a file below them, or pass it in.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "circle-of-folders",
      comment:
        "Two folders that import each other are one room. Move what both need below them, or the files that belong together into one.",
      severity: "error",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
    {
      name: "bucket",
      comment: "Name a file after its main export, a folder after its responsibility, and put a type next to its use.",
      severity: "error",
      from: {},
      to: { path: "(^|/)(util|utils|helper|helpers|common|misc|types|shared|lib)[/.]", pathNot: "(^|/)node_modules/|^[^/]+$" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    moduleSystems: ["es6"],
    doNotFollow: { path: "(?:^|/)(?:node_modules|dist)/" },
    exclude: { path: "(?:^|/)(?:coverage|fixtures)/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"], extensions: [".ts", ".mjs", ".js"] },
  },
};
