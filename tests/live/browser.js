// SPDX-License-Identifier: MIT
// Debian's Chromium without a screen, by playwright-core; with a profile of its own that it removes.
"use strict";

const {chromium} = require("playwright-core");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];

function openBrowser() {
	return chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS});
}

module.exports = {openBrowser};
