#!/usr/bin/env node
'use strict';
// Fills the report template with the JSON of summarize-tickets.py. Standard library only (Node.js 18+).
//
//   node render-report.js summary.json [template.md]
//
// "-" reads standard input. [[headline]], [[observations]] and [[next_steps]] stay: they are written by hand.
// Exit code 0: printed; 1: the template has a slot that is not known; 2: the input cannot be used.

const fs = require('node:fs');
const path = require('node:path');

const BY_HAND = new Set(['headline', 'observations', 'next_steps']);
const DEFAULT_TEMPLATE = path.join(__dirname, '..', 'assets', 'report-template.md');
const NUMBERS = ['opened', 'closed', 'backlog_start', 'backlog_end', 'within_target'];

/** Text of a ticket as one table-safe, link-free line. */
function plain(text) {
	const line = String(text).replace(/\s+/g, ' ').trim();
	return line.replace(/[\\`*_[\]<>|]/g, (character) => `\\${character}`);
}

function change(now, before) {
	const difference = now - before;
	return difference > 0 ? `+${difference}` : String(difference);
}

function duration(hours) {
	if (hours === null || hours === undefined) return 'n/a';
	return hours <= 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} days`;
}

function table(head, rows) {
	if (rows.length === 0) return 'None.';
	return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function overdueList({ overdue, overdue_count: count }) {
	if (count === 0) return 'None.';
	const lines = overdue.map(
		(t) =>
			`- ${plain(t.id)} (${plain(t.priority)}, ${plain(t.assignee)}, open for ${duration(t.age_hours)}): ${plain(t.subject)}`,
	);
	if (count > overdue.length) lines.push(`- and ${count - overdue.length} more`);
	return lines.join('\n');
}

function dataNotes({ rows_used: rows, problems }) {
	const intro = `Rows used: ${rows}. Weeks run from Monday to Sunday in UTC.`;
	if (problems.length === 0) return `${intro} No row was left out.`;
	return `${intro} Left out:\n\n${problems.map((problem) => `- ${plain(problem)}`).join('\n')}`;
}

function slots(s) {
	return {
		week: s.week,
		period: `${s.from} to ${s.to}`,
		opened: s.opened,
		previous_opened: s.previous.opened,
		opened_change: change(s.opened, s.previous.opened),
		closed: s.closed,
		previous_closed: s.previous.closed,
		closed_change: change(s.closed, s.previous.closed),
		backlog_start: s.backlog_start,
		backlog_end: s.backlog_end,
		backlog_change: change(s.backlog_end, s.backlog_start),
		within_target: s.closed_with_target ? `${s.within_target} of ${s.closed_with_target}` : 'n/a',
		median_hours: duration(s.median_hours),
		p90_hours: duration(s.p90_hours),
		priority_table: table(
			['Priority', 'Opened', 'Closed', 'Within target', 'Open', 'Overdue'],
			Object.entries(s.by_priority).map(([name, row]) => [
				plain(name),
				row.opened,
				row.closed,
				row.within_target,
				row.open,
				row.overdue,
			]),
		),
		category_table: table(
			['Category', 'Opened'],
			Object.entries(s.by_category).map(([name, count]) => [plain(name), count]),
		),
		overdue_list: overdueList(s),
		data_notes: dataNotes(s),
	};
}

function readSummary(file) {
	const summary = JSON.parse(fs.readFileSync(file === '-' ? 0 : file, 'utf8'));
	const missing = NUMBERS.filter((name) => typeof summary[name] !== 'number');
	if (missing.length > 0) throw new Error(`not a ticket summary, missing: ${missing.join(', ')}`);
	if (summary.backlog_end !== summary.backlog_start + summary.opened - summary.closed) {
		throw new Error('the counts do not fit: backlog_end is not backlog_start + opened - closed');
	}
	return summary;
}

function main([summaryFile, templateFile = DEFAULT_TEMPLATE]) {
	if (!summaryFile) throw new Error('usage: render-report.js summary.json [template.md]');
	const values = slots(readSummary(summaryFile));
	const unknown = new Set();
	const report = fs.readFileSync(templateFile, 'utf8').replace(/\[\[(\w+)\]\]/g, (slot, name) => {
		if (Object.hasOwn(values, name)) return String(values[name]);
		if (!BY_HAND.has(name)) unknown.add(name);
		return slot;
	});
	process.stdout.write(report);
	if (unknown.size > 0) {
		console.error(`render-report: unknown slots left in place: ${[...unknown].join(', ')}`);
		process.exitCode = 1;
	}
}

try {
	main(process.argv.slice(2));
} catch (error) {
	console.error(`render-report: ${error.message}`);
	process.exitCode = 2;
}
