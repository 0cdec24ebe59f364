import { FAILURE_PAUSE_MS, MAX_BLOB_BYTES, MAX_REMOTE_PLACES, MAX_UNPACKED_BYTES } from './limits';
import { LruMap } from './lru';
import type { DataFile } from './backends/data';

interface Cell {
	value?: unknown;
	checkedAt: number;
	failure?: { error: unknown; at: number };
	underway?: Promise<unknown>;
}

const cells = new LruMap<string, Cell>(MAX_REMOTE_PLACES);

/**
 * Gives back what a remote place said, asked anew once it is older than `maxAgeMs`; `load` gets
 * the previous answer to revalidate. Calls at the same time share one request, and a place that
 * just failed is not asked again at once: each tool call of a run would wait for it.
 */
export async function remembered<T>(
	key: string,
	maxAgeMs: number,
	load: (previous: T | undefined) => Promise<T>,
	now: () => number = Date.now,
): Promise<T> {
	const cell = cells.getOrCreate(key, () => ({ checkedAt: Number.NEGATIVE_INFINITY }));
	if (cell.value !== undefined && now() - cell.checkedAt < maxAgeMs) return cell.value as T;
	if (cell.failure && now() - cell.failure.at < FAILURE_PAUSE_MS) throw cell.failure.error;
	cell.underway ??= load(cell.value as T | undefined)
		.then((value) => {
			Object.assign(cell, { value, checkedAt: now(), failure: undefined });
			return value;
		})
		.catch((error: unknown) => {
			cell.failure = { error, at: now() };
			throw error;
		})
		.finally(() => {
			cell.underway = undefined;
		});
	return (await cell.underway) as T;
}

/** Gives back the last answer of a place, however old it is. */
export function lastAnswer<T>(key: string): T | undefined {
	return cells.get(key)?.value as T | undefined;
}

/** Gives back when a place last gave an answer, undefined: it has none that is remembered. */
export function answeredAt(key: string): number | undefined {
	const checkedAt = cells.get(key)?.checkedAt ?? Number.NaN;
	return Number.isFinite(checkedAt) ? checkedAt : undefined;
}

/** Makes the next call ask a place again, whatever the age of its answer. */
export function expire(key: string): void {
	const cell = cells.get(key);
	if (cell) cell.checkedAt = Number.NEGATIVE_INFINITY;
}

/**
 * Values by a key that names their content (a digest, a blob's sha), as many as fit. Calls at the
 * same time share one making.
 */
export class ContentCache<T> {
	private readonly values = new Map<string, T>();
	private readonly underway = new Map<string, Promise<T>>();
	private bytes = 0;

	constructor(
		private readonly capacity: number,
		private readonly sizeOf: (value: T) => number,
	) {}

	/** Gives back the value of a key, made anew where it is not remembered. */
	async get(key: string, make: () => Promise<T>): Promise<T> {
		const known = this.values.get(key);
		if (known !== undefined) {
			this.values.delete(key);
			this.values.set(key, known);
			return known;
		}
		const running = this.underway.get(key);
		if (running) return await running;
		const making = make()
			.then((value) => this.keep(key, value))
			.finally(() => this.underway.delete(key));
		this.underway.set(key, making);
		return await making;
	}

	/** Forgets everything. */
	clear(): void {
		this.values.clear();
		this.bytes = 0;
	}

	private keep(key: string, value: T): T {
		this.values.set(key, value);
		this.bytes += this.sizeOf(value);
		for (const [oldest, other] of this.values) {
			if (this.bytes <= this.capacity) break;
			this.values.delete(oldest);
			this.bytes -= this.sizeOf(other);
		}
		return value;
	}
}

/** The files of all remote places, by keys that begin with the id of their backend. */
export const blobs = new ContentCache<Uint8Array>(MAX_BLOB_BYTES, (blob) => blob.byteLength);

/** The contents of fetched archives, by the same keys. */
export const unpacked = new ContentCache<DataFile[]>(MAX_UNPACKED_BYTES, (files) =>
	files.reduce((sum, { content }) => sum + content.byteLength, 0),
);

/** Forgets every answer and file of remote places. */
export function clearRemoteCache(): void {
	cells.clear();
	blobs.clear();
	unpacked.clear();
}
