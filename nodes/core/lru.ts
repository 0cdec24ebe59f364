/** A map that forgets what was not used for longest once it is full. */
export class LruMap<K, V> {
	private readonly entries = new Map<K, V>();

	constructor(private readonly capacity: number) {}

	/** Gives back the value of a key, made anew where there is none. */
	getOrCreate(key: K, create: () => V): V {
		const value = this.entries.has(key) ? (this.entries.get(key) as V) : create();
		this.entries.delete(key);
		this.entries.set(key, value);
		if (this.entries.size > this.capacity) {
			this.entries.delete(this.entries.keys().next().value as K);
		}
		return value;
	}

	/** Gives back the value of a key, undefined where there is none; it does not count as use. */
	get(key: K): V | undefined {
		return this.entries.get(key);
	}

	/** Keeps a value for a key, as the one that was used last. */
	set(key: K, value: V): void {
		this.entries.delete(key);
		this.getOrCreate(key, () => value);
	}

	/** Forgets what was not used for longest until the rest weighs no more than so much. */
	trim(capacity: number, weigh: (value: V) => number): void {
		let weight = 0;
		for (const value of this.entries.values()) weight += weigh(value);
		for (const [key, value] of this.entries) {
			// The last one is in use: without it the work of this moment would be lost.
			if (weight <= capacity || this.entries.size === 1) return;
			this.entries.delete(key);
			weight -= weigh(value);
		}
	}

	/** Forgets the value of a key. */
	delete(key: K): void {
		this.entries.delete(key);
	}

	/** Gives back all values, the one that was not used for longest first. */
	values(): Iterable<V> {
		return this.entries.values();
	}

	/** How many keys there are. */
	get size(): number {
		return this.entries.size;
	}

	/** Forgets everything. */
	clear(): void {
		this.entries.clear();
	}
}
