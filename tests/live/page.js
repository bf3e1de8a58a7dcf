// SPDX-License-Identifier: MIT
// page.js PAGE FLAME: what page.sh asks of a page of tests/live/page.cc, and of one that tests/unit/page_flame.c
// writes, in a browser.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const {openBrowser} = require("./browser.js");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [report, flame] = process.argv.slice(2).map((file) => "file://" + path.resolve(file));

/* A page that may ask for nothing but itself, and has nothing to complain of. */
async function open(browser, url, options) {
	const context = await browser.newContext({bypassCSP: true, ...options}), page = await context.newPage();

	page.faults = [];
	page.on("console", (message) => page.faults.push(message.text()));
	page.on("pageerror", (error) => page.faults.push(error.message));
	page.on("request", (request) => {
		if (request.url() !== url && !request.url().startsWith("data:"))
			page.faults.push("asks for " + request.url());
	});
	await page.goto(url);
	return page;
}

async function close(page) {
	assert.deepEqual(page.faults, []);
	await page.context().close();
}

const visible = (page, id) => page.locator(`#${id} tbody tr:visible`);

function columnOf(page, id, key) {
	return page.evaluate(([section, name]) => {
		const table = document.querySelector(`#${section} table`);
		const column = [...table.querySelectorAll("th")].findIndex((th) => th.dataset.key === name);

		return [...table.tBodies[0].rows].map((row) => row.cells[column].dataset.v ?? row.cells[column].textContent);
	}, [id, key]);
}

async function testTables(page) {
	const heading = page.locator("#branches th[data-key=count]");
	const numbers = async () => (await columnOf(page, "branches", "count")).map(Number);

	assert.equal(await visible(page, "branches").count(), 20);
	await page.locator("#branches .more").click();
	assert.equal(await visible(page, "branches").count(), 30);
	await heading.locator("button").click();
	assert.equal(await heading.getAttribute("aria-sort"), "descending");
	assert.deepEqual(await numbers(), (await numbers()).sort((a, b) => b - a));
	await heading.locator("button").focus();
	await page.keyboard.press("Enter");
	assert.equal(await heading.getAttribute("aria-sort"), "ascending");
	assert.deepEqual(await numbers(), (await numbers()).sort((a, b) => a - b));
	await page.locator("#branches th[data-key=from] button").click();
	const names = await columnOf(page, "branches", "from");
	assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b)));
}

async function testSearch(page) {
	await page.keyboard.press("/");
	await page.keyboard.type("THINGS_with <17u");
	// the page searches while one types
	await page.locator("nav a[href='#branches'] .hits", {hasText: /^ 1$/}).waitFor();
	const rows = await visible(page, "branches").all();
	assert.equal(rows.length, 1);
	assert.match(await rows[0].locator(".name").first().getAttribute("title"), /<17u, unsigned long>/);
	assert.match(await page.locator("#function").inputValue(), /<17u/);
	await page.locator("input[type=search]").fill("");
	await page.locator("nav .hits").first().waitFor({state: "detached"});
	assert.equal(await visible(page, "branches").count(), 30);
}

async function testNames(page) {
	const name = page.locator("#branches .name").first(), whole = page.locator("#whole");
	const long = await name.getAttribute("title"), short = await name.textContent();

	assert.ok(short.length <= 60 && short.includes("...") && long.length > 60);
	await whole.click();
	assert.equal(await name.textContent(), long);
	assert.equal(await whole.getAttribute("aria-pressed"), "true");
	await name.click();
	assert.equal(await name.textContent(), short);
	await whole.click();
	assert.equal(await name.textContent(), short);
}

async function testGraph(page) {
	const svg = page.locator("#graph svg");
	const first = await svg.getAttribute("aria-label");

	await page.locator("#function").selectOption({index: 3});
	assert.notEqual(await svg.getAttribute("aria-label"), first);
	const edges = svg.locator(".edge");
	const widths = await edges.evaluateAll((all) => all.map((edge) => edge.getAttribute("stroke-width")));
	assert.equal(Math.max(...widths.map(Number)), 7);
	assert.match(await svg.locator(".edge.back title").first().textContent(), /jump: [\d,]+ times, 100.00 %/);
}

async function testHistogram(page) {
	const figure = page.locator("#latency_histograms figure").first();

	assert.match(await figure.locator("figcaption").textContent(), /2 peaks, at 2 .* and 20 .* cycles/);
	assert.equal(await figure.locator("rect").count(), 2);
	assert.match(await figure.locator("text").allTextContents().then((all) => all.join(" ")), /share of all/);
}

/* main has 10,000 of 10,002 samples, parse in it 7,000, parse in that 3,000. */
async function testFlame(page) {
	const frame = (name) => page.locator(`.flame button[aria-label^='${name}']`);
	const width = async (name) => (await frame(name).first().boundingBox()).width;
	const whole = await width("all"), under = page.locator(".under");

	assert.ok(Math.abs(await width("parse") / whole - 0.7) < 0.01);
	await page.locator("input[type=search]").fill("parse");
	await page.locator(".flame .found").first().waitFor();
	assert.equal(await page.locator(".flame .found").count(), 2);
	assert.equal(await under.textContent(), "Found: 69.99 % of all samples");
	await page.locator("input[type=search]").fill("");
	await page.locator(".flame .found").first().waitFor({state: "detached"});
	await frame("parse").first().click();
	assert.equal(await width("parse"), whole);
	assert.equal(await frame("write").count(), 0);
	await page.keyboard.press("ArrowDown");
	assert.equal(await under.textContent(), "parse: 3,000 samples, 29.99 %; itself 3,000, 29.99 %");
	await page.keyboard.press("Escape");
	assert.equal(await width("all"), whole);
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowRight");
	assert.match(await under.textContent(), /^write<"<\/script>">: 2,900 samples/);
	await page.keyboard.press("Enter");
	assert.equal(await width("write"), whole);
	await page.getByRole("button", {name: "Whole graph"}).click();
	assert.equal(await frame("parse").count(), 2);
}

/* On a phone each line of code is in sight, beside its count, without the figures that nobody knows. */
async function testListing(page) {
	const row = page.locator("#assembly tbody tr").first(), inside = async (what) => {
		const box = await row.locator(what).boundingBox();

		assert.ok(box.x >= 0 && box.width > 0 && box.x + box.width <= 390, JSON.stringify(box));
		return box;
	};
	const count = await inside("td:first-child"), code = await inside("td.code:not(.short)");

	assert.ok(code.x > count.x && Math.abs(code.y - count.y) < 10);
	assert.equal(await row.locator("td.none:visible").count(), 0);
	assert.equal(await page.locator("#branches td.none:not(.t):visible").count(), 0);
}

/* Roles, names, keyboard and contrast, in what is seen and what opens. */
async function testAccess(page) {
	await page.evaluate(axe);
	const {violations} = await page.evaluate(() => window.axe.run());

	assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`), []);
	const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
	assert.ok(fits, "the page is wider than the window");
}

async function main() {
	const browser = await openBrowser();
	const desktop = {width: 1200, height: 800}, phone = {width: 390, height: 800};

	try {
		let page = await open(browser, report, {viewport: desktop});

		for (const test of [testTables, testSearch, testNames, testGraph, testHistogram])
			await test(page);
		await close(page);
		page = await open(browser, flame, {viewport: desktop});
		await testFlame(page);
		await close(page);
		for (const options of [{viewport: desktop, colorScheme: "light"}, {viewport: phone, colorScheme: "dark"}]) {
			for (const url of [report, flame]) {
				page = await open(browser, url, options);
				await testAccess(page);
				if (options.viewport === phone && url === report)
					await testListing(page);
				await close(page);
			}
		}
	} finally {
		await browser.close();
	}
}

main().catch((error) => {
	console.error(error);
	process.exit(1);
});
