import { MAX_DIFF_EDITS } from './limits';

/** A line of a comparison: in both texts, only in the first, or only in the second. */
export interface DiffLine {
	kind: ' ' | '-' | '+';
	text: string;
}

/**
 * Gives back how one text becomes another, line by line (Myers' algorithm). Texts that differ in
 * too much are told as one replaced by the other; where both begin or end alike is always found.
 */
export function diffLines(before: string, after: string): DiffLine[] {
	const [a, b] = [linesOf(before), linesOf(after)];
	let start = 0;
	while (start < a.length && start < b.length && a[start] === b[start]) start++;
	let end = 0;
	const most = Math.min(a.length, b.length) - start;
	while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	const middle = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
	return [
		...a.slice(0, start).map(same),
		...(shortestEdit(middle[0], middle[1]) ?? replaced(middle[0], middle[1])),
		...a.slice(a.length - end).map(same),
	];
}

const same = (text: string): DiffLine => ({ kind: ' ', text });
const gone = (text: string): DiffLine => ({ kind: '-', text });
const come = (text: string): DiffLine => ({ kind: '+', text });

/** Gives back the lines, each with its end: a text without one at its end differs from one with. */
function linesOf(text: string): string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function replaced(a: string[], b: string[]): DiffLine[] {
	return [...a.map(gone), ...b.map(come)];
}

/** Gives back the fewest lines that go and come; null: they are more than the limit. */
function shortestEdit(a: string[], b: string[]): DiffLine[] | null {
	if (a.length === 0 || b.length === 0) return replaced(a, b);
	// For each number of edits: how far into `a` one gets on each diagonal.
	const trail: Array<Map<number, number>> = [];
	let reach = new Map([[1, 0]]);
	for (let edits = 0; edits <= Math.min(a.length + b.length, MAX_DIFF_EDITS); edits++) {
		trail.push(reach);
		const next = new Map<number, number>();
		for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
			let x = isDown(reach, diagonal, edits)
				? (reach.get(diagonal + 1) ?? 0)
				: (reach.get(diagonal - 1) ?? 0) + 1;
			while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
			next.set(diagonal, x);
			if (x >= a.length && x - diagonal >= b.length) return walkBack(a, b, trail);
		}
		reach = next;
	}
	return null;
}

function isDown(reach: Map<number, number>, diagonal: number, edits: number): boolean {
	if (diagonal === -edits) return true;
	return diagonal !== edits && (reach.get(diagonal - 1) ?? 0) < (reach.get(diagonal + 1) ?? 0);
}

function walkBack(a: string[], b: string[], trail: Array<Map<number, number>>): DiffLine[] {
	const lines: DiffLine[] = [];
	let [x, y] = [a.length, b.length];
	for (let edits = trail.length - 1; edits >= 0; edits--) {
		const diagonal = x - y;
		const down = isDown(trail[edits], diagonal, edits);
		const from = diagonal + (down ? 1 : -1);
		const fromX = edits === 0 ? 0 : (trail[edits].get(from) ?? 0);
		const fromY = edits === 0 ? 0 : fromX - from;
		while (x > fromX && y > fromY && a[x - 1] === b[y - 1]) {
			lines.push(same(a[--x]));
			y--;
		}
		if (edits === 0) break;
		lines.push(down ? come(b[fromY]) : gone(a[fromX]));
		[x, y] = [fromX, fromY];
	}
	return lines.reverse();
}
