#!/usr/bin/env node
'use strict';
// Prints the next run times of a cron expression in a time zone. Standard library only.
//
//   node next-runs.js "<cron>" [timezone] [count] [from]
//   node next-runs.js "0 9 * * 1-5" Europe/Berlin 5 2026-03-27T12:00:00Z
//
// Exit code 0: printed; 2: the expression or an argument is wrong, or it never runs.

const DAY = 86_400_000;
// More than any clock change.
const NEAR = 3 * 3_600_000;
const SEARCH_DAYS = 366 * 8;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS = [
	{ name: 'second', low: 0, high: 59 },
	{ name: 'minute', low: 0, high: 59 },
	{ name: 'hour', low: 0, high: 23 },
	{ name: 'day of month', low: 1, high: 31 },
	{ name: 'month', low: 1, high: 12, names: MONTHS, firstName: 1 },
	{ name: 'day of week', low: 0, high: 7, names: WEEKDAYS, firstName: 0 },
];

function toNumber(text, field) {
	const named = field.names ? field.names.indexOf(text.toLowerCase()) : -1;
	const value = named >= 0 ? named + field.firstName : /^\d+$/.test(text) ? Number(text) : NaN;
	if (Number.isNaN(value)) throw new Error(`${field.name}: cannot read "${text}"`);
	if (value < field.low || value > field.high) {
		throw new Error(`${field.name}: ${value} is not within ${field.low}-${field.high}`);
	}
	return value;
}

function parseField(text, field) {
	const values = new Set();
	for (const part of text.split(',')) {
		const [range, stepText, extra] = part.split('/');
		if (range === '' || stepText === '' || extra !== undefined) {
			throw new Error(`${field.name}: cannot read "${part}"`);
		}
		const step = stepText === undefined ? 1 : Number(stepText);
		if (!Number.isInteger(step) || step < 1) throw new Error(`${field.name}: bad step "${part}"`);
		let from;
		let to;
		if (range === '*') {
			[from, to] = [field.low, field.high];
		} else {
			const ends = range.split('-');
			if (ends.length > 2) throw new Error(`${field.name}: cannot read "${part}"`);
			from = toNumber(ends[0], field);
			to = ends.length === 2 ? toNumber(ends[1], field) : stepText === undefined ? from : field.high;
			if (from > to) {
				throw new Error(`${field.name}: "${part}" runs backwards, write two ranges with a comma`);
			}
		}
		for (let value = from; value <= to; value += step) values.add(value);
	}
	// 7 is another name for Sunday.
	if (field.name === 'day of week' && values.delete(7)) values.add(0);
	return values;
}

function parseCron(expression) {
	let parts = expression.trim().split(/\s+/);
	if (parts.length === 5) parts = ['0', ...parts];
	if (parts.length !== 6) throw new Error(`expected 5 or 6 fields, found ${parts.length}`);
	const sets = parts.map((text, index) => parseField(text, FIELDS[index]));
	const [seconds, minutes, hours, days, months, weekdays] = sets;
	return {
		times: { seconds: sorted(seconds), minutes: sorted(minutes), hours: sorted(hours) },
		everyHour: hours.size === 24,
		matchesDay(date) {
			if (!months.has(date.getUTCMonth() + 1)) return false;
			const byDay = days.has(date.getUTCDate());
			const byWeekday = weekdays.has(date.getUTCDay());
			// When both day fields are restricted, one of them is enough.
			return days.size < 31 && weekdays.size < 7 ? byDay || byWeekday : byDay && byWeekday;
		},
	};
}

const sorted = (set) => [...set].sort((a, b) => a - b);

function zone(timeZone) {
	const format = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	});
	const local = (instant) => {
		const p = {};
		for (const { type, value } of format.formatToParts(instant)) p[type] = Number(value);
		return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second);
	};
	const offset = (instant) => local(instant) - Math.floor(instant / 1000) * 1000;
	return { local, offset };
}

/** The instants at which clocks in the zone show this wall time: one, two, or (skipped) the end of the gap. */
function instantsOf(wall, { offset }) {
	const before = offset(wall - DAY);
	const after = offset(wall + DAY);
	const found = [...new Set([before, after])]
		.map((shift) => wall - shift)
		.filter((instant) => offset(instant) === wall - instant)
		.sort((a, b) => a - b);
	if (found.length > 0) return found;
	let low = wall - DAY - before;
	let high = wall + DAY - after;
	while (high - low > 1000) {
		const middle = Math.floor((low + high) / 2000) * 1000;
		if (offset(middle) === before) low = middle;
		else high = middle;
	}
	return [high];
}

function* candidates(cron, tz, from) {
	const startWall = tz.local(from);
	const firstDay = Math.floor(startWall / DAY) * DAY - DAY;
	for (let index = 0; index < SEARCH_DAYS; index++) {
		const day = firstDay + index * DAY;
		if (!cron.matchesDay(new Date(day))) continue;
		for (const hour of cron.times.hours) {
			for (const minute of cron.times.minutes) {
				for (const second of cron.times.seconds) {
					const wall = day + ((hour * 60 + minute) * 60 + second) * 1000;
					if (wall < startWall - NEAR) continue;
					const [first, again] = instantsOf(wall, tz);
					yield first;
					// A repeated hour counts twice for what runs every hour, once for what runs at a set time.
					if (again !== undefined && cron.everyHour) yield again;
				}
			}
		}
	}
}

function nextRuns(expression, timeZone, count, from) {
	const tz = zone(timeZone);
	const found = new Set();
	// A repeated hour comes out of order, so look a little further than asked, then sort.
	let end = Infinity;
	for (const instant of candidates(parseCron(expression), tz, from)) {
		if (instant > end) break;
		if (instant > from) found.add(instant);
		if (end === Infinity && found.size >= count) end = instant + NEAR;
	}
	if (found.size === 0) throw new Error('this expression never runs within eight years');
	return sorted(found).slice(0, count).map((instant) => describe(instant, tz));
}

function describe(instant, tz) {
	const wall = tz.local(instant);
	const offset = tz.offset(instant);
	const minutes = Math.abs(offset) / 60_000;
	const two = (value) => String(Math.floor(value)).padStart(2, '0');
	const shift = `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
	const iso = (time) => new Date(time).toISOString().slice(0, 19);
	const line = `${WEEKDAYS[new Date(wall).getUTCDay()]} ${iso(wall)}${shift}  (UTC ${iso(instant)}Z)`;
	const change = tz.offset(instant - NEAR) !== tz.offset(instant + NEAR);
	return change ? `${line}  near a clock change, may be an hour off or run twice` : line;
}

function main([expression, timeZone = 'UTC', countText = '5', fromText]) {
	if (!expression) throw new Error('usage: next-runs.js "<cron>" [timezone] [count] [from]');
	const count = Number(countText);
	if (!Number.isInteger(count) || count < 1 || count > 100) throw new Error('count must be 1-100');
	const from = fromText === undefined ? Date.now() : Date.parse(fromText);
	if (Number.isNaN(from)) throw new Error(`cannot read the date "${fromText}"`);
	console.log(nextRuns(expression, timeZone, count, from).join('\n'));
}

try {
	main(process.argv.slice(2));
} catch (error) {
	console.error(`next-runs: ${error.message}`);
	process.exitCode = 2;
}
