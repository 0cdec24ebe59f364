import { records, useFreshLibrary } from './support/node';

import { openDatabase } from '../../nodes/shared/library/database';
import { timeField } from '../../nodes/shared/library/parameters';

useFreshLibrary();

afterEach(() => jest.restoreAllMocks());

describe('a time of the node', () => {
	it.each([
		['Europe/Berlin', '2026-01-31T10:00:00', '2026-01-31T09:00:00.000Z'],
		['Europe/Berlin', '2026-07-31 10:00', '2026-07-31T08:00:00.000Z'],
		['Europe/Berlin', '2026-01-31', '2026-01-30T23:00:00.000Z'],
		['America/New_York', '2026-01-31', '2026-01-31T05:00:00.000Z'],
		['Asia/Kolkata', '2026-01-31T00:15:30.250', '2026-01-30T18:45:30.250Z'],
		['UTC', '2026-01-31T10:00:00', '2026-01-31T10:00:00.000Z'],
		// An hour before and after the clocks go forward, and back.
		['Europe/Berlin', '2026-03-29T01:30:00', '2026-03-29T00:30:00.000Z'],
		['Europe/Berlin', '2026-03-29T03:30:00', '2026-03-29T01:30:00.000Z'],
		['Europe/Berlin', '2026-10-25T01:30:00', '2026-10-24T23:30:00.000Z'],
		['Europe/Berlin', '2026-10-25T03:30:00', '2026-10-25T02:30:00.000Z'],
		['America/New_York', '2026-03-08T03:30:00', '2026-03-08T07:30:00.000Z'],
	])('without a zone is meant in the one of the workflow: %s %s', (zone, text, time) => {
		const context = { getTimezone: () => zone };
		expect(timeField(context, 'since', text)).toEqual({ since: time });
	});

	it.each([
		['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
		['2026-01-31T10:00:00+05:00', '2026-01-31T05:00:00.000Z'],
		[new Date('2026-01-31T10:00:00Z'), '2026-01-31T10:00:00.000Z'],
		[Date.parse('2026-01-31T10:00:00Z'), '2026-01-31T10:00:00.000Z'],
		[{ toString: () => '2026-01-31T10:00:00.000+01:00' }, '2026-01-31T09:00:00.000Z'],
	])('with a zone is that time: %p', (value, time) => {
		const context = { getTimezone: () => 'Asia/Tokyo' };
		expect(timeField(context, 'since', value)).toEqual({ since: time });
	});

	it.each(['soon', '2026-13-01', '2026-01-31T25:00:00', {}])('must be one: %p', (value) => {
		const context = { getTimezone: () => 'Asia/Tokyo' };
		expect(() => timeField(context, 'since', value)).toThrow('is no date');
	});
});

it('"Changed Since" is in the time zone of the workflow', async () => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-31T09:30:00Z'));
	const skill = { skillName: 'alpha', skillDescription: 'Does it.', instructions: 'Do it.' };
	await records('skill', 'create', { user: 'anna', ...skill });
	const found = async (timezone: string) =>
		await records(
			'skill',
			'getAll',
			{ user: 'anna', filters: { changedSince: '2026-01-31T10:00:00' } },
			{ timezone },
		);
	expect(await found('Europe/Berlin')).toMatchObject([{ name: 'alpha' }]);
	expect(await found('UTC')).toEqual([]);
});

it('"Since" of the usage is in the time zone of the workflow', async () => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-31T12:00:00Z'));
	const skill = { skillName: 'alpha', skillDescription: 'Does it.', instructions: 'Do it.' };
	const [{ id }] = await records('skill', 'create', { user: 'anna', ...skill });
	const database = await openDatabase({ logger: { warn: () => undefined } } as never, 'sqlite');
	await database.as({ user: 'anna', isAdministrator: false }).recordUse([String(id)]);
	const used = async (timezone: string) =>
		await records('usage', 'getAll', { user: 'anna', since: '2026-02-01T06:00:00' }, { timezone });
	expect(await used('Asia/Tokyo')).toMatchObject([{ name: 'alpha', loads: 1 }]);
	expect(await used('UTC')).toEqual([]);
});
