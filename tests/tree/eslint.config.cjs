// SPDX-License-Identifier: MIT
// How JavaScript is written here: eslint's recommended rules, and what keeps it short and plain.
"use strict";

const {configs} = require("@eslint/js");
const node = {require: "readonly", module: "writable", process: "readonly", console: "readonly"};
const browser = {document: "readonly", window: "readonly", ResizeObserver: "readonly", setTimeout: "readonly",
	clearTimeout: "readonly"};

module.exports = [
	configs.recommended,
	{
		languageOptions: {ecmaVersion: 2022, sourceType: "script", globals: browser},
		linterOptions: {reportUnusedDisableDirectives: "error"},
		rules: {
			eqeqeq: "error",
			"max-len": ["error", {code: 120, tabWidth: 4}],
			"no-implicit-globals": "error",
			"no-var": "error",
			"prefer-const": "error",
			strict: ["error", "global"],
		},
	},
	{files: ["tests/**", "scripts/**"], languageOptions: {sourceType: "commonjs", globals: node}},
];
