import css from "@eslint/css";
import js from "@eslint/js";
import globals from "globals";

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.js", "**/*.mjs"],
    ...js.configs.recommended,
    rules: {
      ...js.configs.recommended.rules,
      eqeqeq: "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: ["src/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/**/*.mjs", "scripts/**/*.js"], languageOptions: { globals: globals.node } },
  {
    files: ["**/*.css"],
    plugins: { css },
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      "css/no-invalid-properties": ["error", { allowUnknownVariables: true }], // tokens: page.css
      "css/no-important": "off", // [hidden], and animations where people want none
      "css/use-baseline": [
        "error",
        { available: "newly", allowProperties: ["accent-color", "resize", "user-select"] },
      ],
    },
  },
];
