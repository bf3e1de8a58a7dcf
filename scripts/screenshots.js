// SPDX-License-Identifier: MIT
// screenshots.js PAGE... DIRECTORY: pictures of pages as softlbr report --html writes them, by Debian's Chromium: of
// each section, at three widths (wide, desktop, phone), light and dark. Needs playwright-core (scripts/install-deps.sh
// --test): NODE_PATH=$(npm root -g) node scripts/screenshots.js report.html pictures
"use strict";

const path = require("node:path");
const {openBrowser} = require("../tests/live/browser.js");

const WIDTHS = {wide: [1600, 900], desktop: [1100, 800], phone: [390, 800]};

async function take(browser, file, directory) {
	const name = path.basename(file, ".html");

	for (const [device, [width, height]] of Object.entries(WIDTHS))
		for (const colorScheme of ["light", "dark"]) {
			const page = await browser.newPage({viewport: {width, height}, colorScheme});
			const picture = (part) => path.join(directory, [name, part, device, colorScheme].join("-") + ".png");

			await page.goto("file://" + path.resolve(file));
			await page.screenshot({path: picture("top")});
			await page.addStyleTag({content: ".top { position: static !important; }"});
			for (const section of await page.locator("section").all())
				await section.screenshot({path: picture(await section.getAttribute("id"))});
			await page.close();
		}
}

(async () => {
	const files = process.argv.slice(2), directory = files.pop(), browser = await openBrowser();

	for (const file of files)
		await take(browser, file, directory);
	await browser.close();
})().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
