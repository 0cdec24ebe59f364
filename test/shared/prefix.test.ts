import { prefixProperty, toolPrefix } from '../../nodes/shared/prefix';

describe('toolPrefix', () => {
	it.each([
		[undefined, ''],
		[null, ''],
		['', ''],
		['team_', 'team_'],
		['team-', 'team-'],
		['team', 'team_'],
		['my team', 'my_team_'],
		['ä.b', '_b_'],
		[7, '7_'],
		// Without a separator "un" would make unload_skill of load_skill.
		['un', 'un_'],
	])('%j becomes %j', (text, expected) => {
		expect(toolPrefix(text)).toBe(expected);
	});

	it('keeps the longest tool name within the 64 characters that models accept', () => {
		expect(`${toolPrefix('x'.repeat(200))}read_skill_file`.length).toBeLessThanOrEqual(64);
	});
});

it('the parameter is off by default', () => {
	expect(prefixProperty).toMatchObject({ name: 'toolPrefix', default: '' });
});
