/** What a text in n8n's "flatted" format stands for: a JSON list whose strings are places in it. */
export function parseFlatted(text: string): unknown {
	const places = JSON.parse(text) as unknown[];
	const made = new Map<number, unknown>();
	const at = (place: number): unknown => {
		if (made.has(place)) return made.get(place);
		const value = places[place];
		if (typeof value !== 'object' || value === null) return value;
		const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
		made.set(place, copy);
		for (const [key, inner] of Object.entries(value)) {
			const resolved = typeof inner === 'string' ? at(Number(inner)) : inner;
			(copy as Record<string, unknown>)[key] = resolved;
		}
		return copy;
	};
	return at(0);
}
