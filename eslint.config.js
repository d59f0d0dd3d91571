// @ts-check
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Home rules: each says what to write instead. */
const HOUSE = [
  {
    selector: "ExportAllDeclaration",
    message: "Name every export by hand: the public surface is a list that somebody wrote.",
  },
  {
    selector: "ExportDefaultDeclaration",
    message: "Export by name, so that a thing is called the same everywhere.",
  },
  {
    selector: "TSEnumDeclaration",
    message: "Write an `as const` object or list and a union of its values: enums don't survive type stripping.",
  },
  {
    selector: "TSParameterProperty",
    message: "Declare the field and assign it in the constructor: parameter properties don't survive type stripping.",
  },
  { selector: "Decorator", message: "Call a function instead of decorating." },
];

const ENVIRONMENT = {
  selector: "MemberExpression[object.object.name='process'][object.property.name='env']",
  message: "Read single variables in one place (config.ts, home.ts, main.ts); elsewhere hand `process.env` on, or what was read from it.",
};

/** Where decisions live: no clock, no chance, no machine. */
const PURE = [
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: "Take the time as an argument." },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "Take the time as an argument." },
  { selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']", message: "Take random bytes as an argument." },
  { selector: "CallExpression[callee.name=/^(setTimeout|setInterval|fetch)$/]", message: "Decide here, act at the edge." },
];

export default defineConfig(
  globalIgnores(["**/dist/", "**/node_modules/", "**/coverage/", "**/fixtures/", "bench/results/", "tmp/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  { rules: { "max-lines": ["error", 600] } },
  { ignores: ["**/*.test.ts", "tests/**"], rules: { "max-lines-per-function": ["error", 100] } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.config.ts"] }, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/prefer-readonly": "error",
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      // An async function without await is how a callback says that it gives a promise.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none" }],
      eqeqeq: "error",
      // Cleaning text of control characters is part of what is built here.
      "no-control-regex": "off",
      "no-restricted-syntax": ["error", ...HOUSE],
    },
  },
  {
    files: ["packages/*/src/**/*.ts"],
    ignores: ["**/*.test.ts", "**/*.test.*.ts", "**/{config,home,main,*-main}.ts", "packages/cli/**"],
    rules: { "no-console": "error", "no-restricted-syntax": ["error", ...HOUSE, ENVIRONMENT] },
  },
  {
    files: ["packages/protocol/src/**/*.ts", "packages/core/src/engine/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: { "no-restricted-syntax": ["error", ...HOUSE, ENVIRONMENT, ...PURE] },
  },
  {
    files: ["packages/protocol/src/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["node:*"], message: "Nothing here touches the machine. Take what you need as an argument." }] },
      ],
    },
  },
  {
    // A test reads foreign answers to assert on them; the assertion is the check that their type would be.
    files: ["**/*.test.ts", "**/*.test.*.ts", "tests/**/*.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        Buffer: "readonly",
        setTimeout: "readonly",
        setInterval: "readonly",
        clearTimeout: "readonly",
        clearInterval: "readonly",
        setImmediate: "readonly",
        fetch: "readonly",
        performance: "readonly",
        AbortController: "readonly",
        AbortSignal: "readonly",
        TextEncoder: "readonly",
        TextDecoder: "readonly",
        structuredClone: "readonly",
      },
    },
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none" }],
      eqeqeq: "error",
    },
  },
  { files: ["packages/**/*.js", "packages/**/*.mjs"], rules: { "no-restricted-syntax": ["error", ...HOUSE] } },
  { files: ["*.config.ts", "*.config.js"], rules: { "no-restricted-syntax": "off" } },
);
