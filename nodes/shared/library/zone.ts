const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/;

/** Gives back the time that a text means; one that names no zone is meant in the given one. */
export function timeIn(timeZone: string, text: string): Date {
	const [, day, time = '00:00'] = WITHOUT_ZONE.exec(text.trim()) ?? [];
	if (day === undefined) return new Date(text);
	const wall = Date.parse(`${day}T${time}Z`);
	if (Number.isNaN(wall)) return new Date(Number.NaN);
	const guess = wall - offsetAt(timeZone, wall);
	// Where the clocks were changed in between, the zone was another one.
	return new Date(wall - offsetAt(timeZone, guess));
}

/** Gives back how many milliseconds the clocks of a zone are ahead of UTC at a time. */
function offsetAt(timeZone: string, time: number): number {
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
	const parts = format.formatToParts(time).map(({ type, value }) => [type, Number(value)]);
	const { year, month, day, hour, minute, second } = Object.fromEntries(parts) as Record<
		string,
		number
	>;
	const wall = Date.UTC(year, month - 1, day, hour, minute, second);
	return wall - Math.floor(time / 1000) * 1000;
}
