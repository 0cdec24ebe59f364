import { closeSync, fstatSync } from 'node:fs';

import { FEW_HEADS, HEAD_BYTES, MAX_OPEN_HEADS, MAX_SKILL_FILE_BYTES } from '../limits';
import type { BackendEntry, TakeHead } from '../types';
import { inPlace, regularFile, type Guard, type Place } from './guard';
import { openOrNull, readBytes } from './open';
import { wayTo } from './way';

// Filled and used up without a pause in between, so one serves all.
const HEAD = Buffer.allocUnsafeSlow(HEAD_BYTES);

/** Opens files of a source that were not met before, a few at a time, and hands on their heads. */
export class Heads {
	private readonly opened: Array<{ path: string; file: number; entry: BackendEntry }> = [];
	/** As it was before the files were opened; undefined: nobody has looked yet. */
	private way?: string | null;

	constructor(
		private readonly guard: Guard,
		readonly place: Place,
		private readonly take: TakeHead,
	) {}

	get isFull(): boolean {
		return this.opened.length >= (this.way === undefined ? FEW_HEADS : MAX_OPEN_HEADS);
	}

	/** Opens a file as it is, and gives back what it is. */
	open(path: string): BackendEntry | null {
		const { guard, place, opened } = this;
		const file = openOrNull(inPlace(place, path));
		if (file === null) return guard.absent(place, path);
		let isKept = false;
		try {
			const stats = fstatSync(file);
			const entry = regularFile(place, path, stats);
			isKept = entry !== null && stats.size <= MAX_SKILL_FILE_BYTES;
			if (entry && isKept) opened.push({ path, file, entry });
			return entry;
		} finally {
			if (!isKept) closeSync(file);
		}
	}

	/** Hands on the heads of the open files that may be read. */
	async handOn(): Promise<void> {
		const { guard, place, opened } = this;
		if (opened.length === 0) return;
		// One look at the folders above them serves all, if nothing in those changed meanwhile. For the
		// first few, which mostly are all, it would cost more than a look at each.
		const before = this.way;
		if (before !== undefined || this.isFull) this.way = wayTo(place.real);
		const isPlain = !!before && before === this.way && guard.hasNoLinks(place);
		for (const { path, file, entry } of opened) {
			const answer = guard.mayRead(place, path, file, isPlain);
			// n8n answers at once; to wait for it all the same would cost as much as opening the file.
			const mayRead = typeof answer === 'boolean' ? answer : await answer;
			if (mayRead) this.take(entry, readBytes(file, HEAD));
		}
		this.close();
	}

	close(): void {
		for (const { file } of this.opened.splice(0)) closeSync(file);
	}
}
