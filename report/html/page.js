// SPDX-License-Identifier: MIT
// What a page does beyond being read: sort, search, whole names, control-flow graphs, flame graphs.
// Without it tables are complete. It makes no request and keeps nothing.
"use strict";

(() => {

/* Rows of a table that are shown before "show all". */
const ROWS_AT_FIRST = 20;
const NAME_LENGTH = 60;
const SVG = "http://www.w3.org/2000/svg";

const find = (selector, from = document) => [...from.querySelectorAll(selector)];
const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (share) => (100 * share).toFixed(2) + " %";

function make(name, attributes = {}, ...children) {
	const node = document.createElement(name);

	for (const [key, value] of Object.entries(attributes))
		if (key.startsWith("on"))
			node.addEventListener(key.slice(2), value);
		else if (value !== false)
			node.setAttribute(key, value === true ? "" : value);
	node.append(...children);
	return node;
}

function draw(parent, name, attributes, text) {
	const node = document.createElementNS(SVG, name);

	for (const [key, value] of Object.entries(attributes))
		node.setAttribute(key, value);
	if (text !== undefined)
		node.textContent = text;
	parent.append(node);
	return node;
}

/* The middle gives way, as in tables. */
function shorten(text, length = NAME_LENGTH) {
	const head = Math.ceil((length - 3) / 2);

	return text.length <= length ? text : text.slice(0, head) + "..." + text.slice(head + 3 - length);
}

function dataOf(id) {
	const script = document.getElementById(id);

	return script ? JSON.parse(script.textContent) : null;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A shortened name and the whole one, which is its title, change places. */
function exchange(name) {
	[name.textContent, name.title] = [name.title, name.textContent];
}

function startNames() {
	const names = find(".name[title]"), tools = document.querySelector(".tools");

	if (!names.length)
		return;
	for (const name of names)
		name.addEventListener("click", () => exchange(name));
	tools.append(make("button", {
		type: "button", id: "whole", "aria-pressed": "false",
		onclick: (event) => {
			const whole = event.target.getAttribute("aria-pressed") !== "true";

			event.target.setAttribute("aria-pressed", whole);
			for (const name of names)
				if (name.title.length > name.textContent.length === whole)
					exchange(name);
		},
	}, "Whole names"));
}

/* ---- tables ---------------------------------------------------------------------------------- */

class Table {
	constructor(section) {
		this.section = section;
		this.body = section.querySelector("tbody");
		this.rows = [...this.body.rows].map((row, rank) => ({row, rank, matches: true}));
		this.whole = this.rows.length <= ROWS_AT_FIRST;
		this.searched = false;
		this.headings = find("th", section);
		this.label();
		this.makeHeadings();
		this.makeMore();
		this.show();
	}

	/* What the style needs to know: titles for the cards of narrow screens, lengths of bars. */
	label() {
		const code = this.section.querySelector("td.code");

		this.section.classList.add(code ? "listing" : "cards");
		for (const {row} of this.rows)
			for (const cell of row.cells) {
				cell.dataset.title = this.headings[cell.cellIndex].textContent;
				if (cell.classList.contains("share"))
					cell.style.setProperty("--part", 100 * cell.dataset.v + "%");
			}
	}

	makeHeadings() {
		const choice = make("select", {onchange: () => this.sort(Number(choice.value))});

		this.headings.forEach((heading, column) => {
			const title = heading.textContent;

			heading.replaceChildren(make("button", {type: "button", onclick: () => this.sort(column)}, title));
			choice.append(make("option", {value: column}, title));
		});
		choice.prepend(make("option", {value: -1, selected: true}, "as reported"));
		this.section.querySelector(".table").before(
			make("label", {class: "sorter"}, "Sorted by ", choice));
	}

	makeMore() {
		this.more = make("button", {
			type: "button", class: "more",
			onclick: () => {
				this.whole = true;
				this.show();
			},
		}, `Show all ${group(this.rows.length)} rows`);
		this.section.querySelector(".table").after(this.more);
	}

	/* Numbers by number, the rest by text; what is not known is last. */
	static value(row, column) {
		const cell = row.cells[column];

		if (cell.classList.contains("none"))
			return null;
		return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
	}

	sort(column) {
		const heading = this.headings[column];
		const falling = heading && heading.getAttribute("aria-sort") !== "descending" &&
			!heading.classList.contains("t") || heading?.getAttribute("aria-sort") === "ascending";

		for (const other of this.headings)
			other.removeAttribute("aria-sort");
		if (heading)
			heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
		this.rows.sort((x, y) => {
			const a = heading ? Table.value(x.row, column) : null;
			const b = heading ? Table.value(y.row, column) : null;

			if (a === null || b === null)
				return (a === null) - (b === null) || x.rank - y.rank;
			return (typeof a === "number" ? a - b : a.localeCompare(b)) * (falling ? -1 : 1) || x.rank - y.rank;
		});
		this.body.append(...this.rows.map(({row}) => row));
		this.show();
	}

	/* How many rows have all words; null: no words. */
	search(words) {
		for (const item of this.rows) {
			item.text ??= (item.row.textContent + " " +
				find("[title]", item.row).map((name) => name.title).join(" ")).toLowerCase();
			item.matches = words.every((word) => item.text.includes(word));
		}
		this.searched = words.length > 0;
		this.show();
		return this.searched ? this.rows.filter((item) => item.matches).length : null;
	}

	show() {
		let shown = 0;

		for (const {row, matches} of this.rows) {
			row.hidden = !matches || !this.whole && !this.searched && shown >= ROWS_AT_FIRST;
			shown += !row.hidden;
		}
		this.more.hidden = this.whole || this.searched;
	}
}

/* ---- control-flow graphs --------------------------------------------------------------------- */

const BLOCK_HEIGHT = 40, BLOCK_GAP = 18, LANE = 13, MARGIN = 22;

/* Intervals that do not overlap share a lane, and short ones are near the blocks. */
function giveLanes(edges) {
	const lanes = [];

	edges.sort((a, b) => Math.abs(a.from - a.to) - Math.abs(b.from - b.to));
	for (const edge of edges) {
		const low = Math.min(edge.from, edge.to), high = Math.max(edge.from, edge.to);

		edge.lane = lanes.findIndex((lane) => lane.every(([l, h]) => high < l || h < low));
		if (edge.lane < 0)
			edge.lane = lanes.push([]) - 1;
		lanes[edge.lane].push([low, high]);
	}
	return lanes.length;
}

/* Blocks one below the other, as in memory; edges forward at their right, back at their left. */
class Graph {
	constructor(name, blocks, edges) {
		const place = new Map(blocks.map((block, i) => [block.block, i]));

		this.name = name;
		this.blocks = blocks;
		this.edges = edges.map((edge) => ({...edge, from: place.get(edge.from), to: place.get(edge.to)}));
		this.most = Math.max(1, ...edges.map((edge) => edge.count));
		this.hottest = Math.max(1, ...blocks.map((block) => block.count));
		const inside = this.edges.filter((edge) => edge.from !== undefined && edge.to !== undefined);
		this.straight = inside.filter((edge) => edge.to === edge.from + 1);
		this.forward = inside.filter((edge) => edge.to > edge.from + 1);
		this.back = inside.filter((edge) => edge.to <= edge.from);
	}

	width(edge) {
		return 1 + 6 * Math.sqrt(edge.count / this.most);
	}

	static top(i) {
		return MARGIN / 2 + i * (BLOCK_HEIGHT + BLOCK_GAP);
	}

	drawEdge(svg, edge, path, tip) {
		const kind = edge.to <= edge.from ? " back" : "", [x, y, dx, dy] = tip;
		const line = draw(svg, "path", {class: "edge" + kind, d: path, "stroke-width": this.width(edge).toFixed(1)});

		draw(line, "title", {}, `${this.blocks[edge.from].begin} to ${this.blocks[edge.to].begin}, ` +
			`${edge.kind}: ${group(edge.count)} times, ${percent(edge.share)} of what leaves the block`);
		draw(svg, "path", {class: "head" + kind,
			d: `M${x},${y}l${-7 * dx - 4 * dy},${-7 * dy - 4 * dx}l${8 * dy},${8 * dx}z`});
	}

	drawBow(svg, edge, left, right) {
		const side = edge.to <= edge.from ? -1 : 1, x = side < 0 ? left : right;
		const out = x + side * (LANE * (edge.lane + 1)), bend = side * 6;
		const y1 = Graph.top(edge.from) + BLOCK_HEIGHT * .7, y2 = Graph.top(edge.to) + BLOCK_HEIGHT * .3;
		const down = y2 > y1 ? 6 : -6;

		this.drawEdge(svg, edge, `M${x},${y1}H${out - bend}Q${out},${y1} ${out},${y1 + down}V${y2 - down}` +
			`Q${out},${y2} ${out - bend},${y2}H${x + side * 7}`, [x, y2, -side, 0]);
	}

	drawStraight(svg, edge, x) {
		const y = Graph.top(edge.from) + BLOCK_HEIGHT;

		this.drawEdge(svg, edge, `M${x},${y}v${BLOCK_GAP - 7}`, [x, y + BLOCK_GAP, 0, 1]);
	}

	drawBlock(svg, i, left, width) {
		const block = this.blocks[i], y = Graph.top(i), next = this.blocks[i + 1];
		const letters = Math.floor(width / 7.2), unseen = next ? next.block - block.block - 1 : 0;

		draw(svg, "rect", {class: "block", x: left, y, width, height: BLOCK_HEIGHT, rx: 4});
		draw(svg, "rect", {class: "heat", x: left, y: y + BLOCK_HEIGHT - 4, height: 4, rx: 2,
			width: Math.max(1, width * block.count / this.hottest).toFixed(1)});
		draw(svg, "text", {class: "mono", x: left + 8, y: y + 15}, block.begin.replace(/^.*\+/, "+"));
		draw(svg, "text", {x: left + width - 8, y: y + 15, "text-anchor": "end"},
			`${group(block.count)} × ${block.instructions} instructions`);
		draw(svg, "text", {class: "mono label", x: left + 8, y: y + 30},
			shorten(block.source ?? "", letters - this.outside(i).length));
		draw(svg.lastChild, "title", {}, `${block.begin} ${block.source ?? ""}`);
		draw(svg, "text", {class: "label", x: left + width - 8, y: y + 30, "text-anchor": "end"}, this.outside(i));
		if (unseen > 0)
			draw(svg, "text", {class: "label", x: left + width - 8, y: y + BLOCK_HEIGHT + 13, "text-anchor": "end"},
				`${unseen} ${unseen > 1 ? "blocks" : "block"} never seen`);
	}

	outside(i) {
		const sum = (edges) => edges.reduce((n, edge) => n + edge.count, 0);
		const entered = sum(this.edges.filter((edge) => edge.from === undefined && edge.to === i));
		const left = sum(this.edges.filter((edge) => edge.from === i && edge.to === undefined));

		return [entered && `entered ${group(entered)} ×`, left && `left ${group(left)} ×`].filter(Boolean).join(", ");
	}

	draw(room) {
		const left = MARGIN + LANE * giveLanes(this.back), lanes = giveLanes(this.forward);
		const box = Math.max(280, Math.min(560, room.clientWidth - left - LANE * lanes - MARGIN - 4));
		const width = left + box + LANE * lanes + MARGIN, height = Graph.top(this.blocks.length);
		const svg = draw(room, "svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
			"aria-label": `Control flow of ${this.name}: ${this.blocks.length} blocks, ${this.edges.length} edges`});

		for (const edge of [...this.back, ...this.forward])
			this.drawBow(svg, edge, left, left + box);
		for (const edge of this.straight)
			this.drawStraight(svg, edge, left + 24);
		this.blocks.forEach((_, i) => this.drawBlock(svg, i, left, box));
	}
}

function rowsByGraph(table) {
	const functions = new Map();

	for (const values of table?.rows ?? []) {
		const row = Object.fromEntries(table.columns.map((column, i) => [column, values[i]]));

		if (!functions.has(row.graph))
			functions.set(row.graph, []);
		functions.get(row.graph).push(row);
	}
	return functions;
}

function startGraphs(section) {
	const blocks = rowsByGraph(dataOf("data-graph_blocks")), edges = rowsByGraph(dataOf("data-graph_edges"));
	const room = make("div", {class: "graph", tabindex: 0, role: "region", "aria-label": "Control-flow graph"});
	const choice = make("select", {id: "function", onchange: () => show(choice.value)});

	const show = (name) => {
		const number = Number(choice.selectedOptions[0].dataset.number);

		room.replaceChildren();
		new Graph(name, blocks.get(number), edges.get(number) ?? []).draw(room);
	};
	for (const [number, [{function: name}]] of blocks)
		choice.append(make("option", {value: name, "data-number": number}, shorten(name)));
	section.append(make("p", {}, make("label", {for: "function"}, "Function "), choice), room);
	show(choice.value);
	return {
		section,
		search(words) {
			const found = [...choice.options].filter((option) =>
				words.every((word) => option.value.toLowerCase().includes(word)));

			if (words.length && found.length && !found.includes(choice.selectedOptions[0])) {
				found[0].selected = true;
				show(choice.value);
			}
			return words.length ? found.length : null;
		},
	};
}

/* ---- flame graphs ---------------------------------------------------------------------------- */

const FRAME_HEIGHT = 20, FRAME_LEAST = 1, FRAME_NAMED = 24;

/* Frames in pre-order, four numbers each: name, depth, total, self. */
function treeOf({names, frames}) {
	const path = [];

	for (let i = 0; i < frames.length; i += 4) {
		const [name, depth, total, self] = frames.slice(i, i + 4);
		const frame = {name: names[name], depth, total, self, parent: path[depth - 1], children: []};

		path[depth] = frame;
		frame.parent?.children.push(frame);
	}
	return path[0];
}

/* The same name has the same colour everywhere. */
function hueOf(name) {
	let hash = 7;

	for (const letter of name)
		hash = (hash * 31 + letter.codePointAt(0)) % 997;
	return 20 + hash % 190;
}

class Flame {
	constructor(section, data) {
		this.section = section;
		this.unit = data.unit;
		this.root = treeOf(data);
		this.zoomed = this.root;
		this.words = [];
		this.room = make("div", {class: "flame", role: "group", "aria-label": "Flame graph",
			onkeydown: (event) => this.key(event)});
		this.under = make("p", {class: "under", "aria-live": "polite"});
		this.reset = make("button", {type: "button", onclick: () => this.zoom(this.root)}, "Whole graph");
		section.append(make("p", {}, this.reset), this.room, this.under);
		new ResizeObserver(() => this.width !== this.room.clientWidth && this.draw()).observe(this.room);
		this.draw();
	}

	matches(frame) {
		return this.words.length > 0 && this.words.every((word) => frame.name.toLowerCase().includes(word));
	}

	/* Of all that ran, what ran in or below frames that match; nested ones count once. */
	found(frame = this.root) {
		return this.matches(frame) ? frame.total : frame.children.reduce((sum, child) => sum + this.found(child), 0);
	}

	say(frame) {
		this.under.textContent = frame ? `${frame.name}: ${group(frame.total)} ${this.unit}, ` +
			`${percent(frame.total / this.root.total)}; itself ${group(frame.self)}, ` +
			percent(frame.self / this.root.total)
			: this.words.length ? `Found: ${percent(this.found() / this.root.total)} of all ${this.unit}` : "";
	}

	put(frame, left, width, around) {
		const button = make("button", {
			type: "button", tabindex: -1, title: `${frame.name} ${percent(frame.total / this.root.total)}`,
			onclick: () => this.zoom(frame), onfocus: () => this.say(frame),
			onmouseenter: () => this.say(frame), onmouseleave: () => this.say(null),
		}, width > FRAME_NAMED ? frame.name : "");

		button.ariaLabel = `${frame.name}, ${percent(frame.total / this.root.total)}`;
		button.classList.toggle("around", around);
		button.classList.toggle("found", this.matches(frame));
		button.style.cssText = `left:${left.toFixed(1)}px;width:${width.toFixed(1)}px;` +
			`top:${frame.depth * FRAME_HEIGHT}px` +
			(around ? "" : `;background:hsl(${hueOf(frame.name)} 55% var(--flame))`);
		this.frames.set(frame, button);
		this.room.append(button);
		this.deepest = Math.max(this.deepest, frame.depth);
	}

	putTree(frame, left, scale) {
		this.put(frame, left, frame.total * scale, false);
		for (const child of frame.children) {
			if (child.total * scale >= FRAME_LEAST)
				this.putTree(child, left, scale);
			left += child.total * scale;
		}
	}

	draw() {
		this.width = this.room.clientWidth;
		this.frames = new Map();
		this.deepest = 0;
		this.room.replaceChildren();
		for (let frame = this.zoomed.parent; frame; frame = frame.parent)
			this.put(frame, 0, this.width, true);
		this.putTree(this.zoomed, 0, this.width / Math.max(1, this.zoomed.total));
		this.room.style.height = (this.deepest + 1) * FRAME_HEIGHT + "px";
		this.frames.get(this.zoomed).tabIndex = 0;
		this.reset.hidden = this.zoomed === this.root;
	}

	zoom(frame) {
		this.zoomed = frame;
		this.draw();
		this.frames.get(frame).focus();
	}

	/* Arrows go to the neighbours, Escape out of the zoom. */
	key(event) {
		const frame = [...this.frames].find(([, button]) => button === document.activeElement)?.[0];
		const beside = frame?.parent?.children ?? [], at = beside.indexOf(frame);
		const to = {ArrowUp: frame?.parent, ArrowDown: frame?.children.find((child) => this.frames.has(child)),
			ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1]}[event.key];

		if (event.key === "Escape")
			this.zoom(this.root);
		else if (!event.key.startsWith("Arrow"))
			return;
		event.preventDefault();
		this.frames.get(to)?.focus();
	}

	search(words) {
		this.words = words;
		this.draw();
		this.say(null);
		return words.length ? [...this.frames.values()].filter((b) => b.classList.contains("found")).length : null;
	}
}

/* ---- search ---------------------------------------------------------------------------------- */

function startSearch(parts) {
	const field = make("input", {type: "search", placeholder: "Search all tables", "aria-label": "Search all tables",
		oninput: () => {
			clearTimeout(waiting);
			waiting = setTimeout(search, 120);
		}});
	let waiting;

	const search = () => {
		const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);

		for (const part of parts) {
			const hits = part.search(words), link = document.querySelector(`nav a[href="#${part.section.id}"]`);

			link?.querySelector(".hits")?.remove();
			if (hits !== null)
				link?.append(make("span", {class: "hits"}, ` ${group(hits)}`));
		}
	};
	document.querySelector(".tools").prepend(field);
	document.addEventListener("keydown", (event) => {
		if (event.key !== "/" || event.target.matches("input, select"))
			return;
		event.preventDefault();
		field.focus();
	});
}

const flame = document.getElementById("flame"), graphs = document.getElementById("graph");
const parts = find("section").filter((section) => section.querySelector("tbody")).map((section) => new Table(section));

if (graphs)
	parts.push(startGraphs(graphs));
if (flame)
	parts.push(new Flame(flame, dataOf("data-flame")));
startNames();
if (parts.length)
	startSearch(parts);

})();
