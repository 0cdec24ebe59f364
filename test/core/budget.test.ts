import { fitToBudget, type CatalogLine } from '../../nodes/core/budget';
import { escapeMarkup } from '../../nodes/core/text';
import { estimateTokens } from '../../nodes/core/tokens';

const line = (name: string, description: string): CatalogLine => ({
	name,
	head: `- ${name}: `,
	description,
	tail: ' (MIT)',
});
const many = (amount: number, description: string) =>
	Array.from({ length: amount }, (_, index) => line(`skill-${index}`, description));
const fit = (lines: CatalogLine[], maxTokens: number, prefix = '') =>
	fitToBudget(lines, { maxTokens, prefix });

it('stage 1: everything in full, if it fits', () => {
	expect(fit([line('a', 'One'), line('b', 'Two')], 1000)).toBe('- a: One (MIT)\n- b: Two (MIT)');
});

it('no budget means no limit', () => {
	const text = fit(many(1000, 'x'.repeat(500)), 0);
	expect(text.split('\n')).toHaveLength(1000);
	expect(text).not.toContain('shortened');
});

it('stage 2: long descriptions are shortened, and it says how many and where to find them', () => {
	const text = fit([...many(50, 'word '.repeat(100)), line('short', 'Short')], 2000, 'my_');
	expect(text).toContain('- short: Short (MIT)');
	expect(text).toContain('- skill-49: word');
	expect(text).toContain('… (MIT)');
	expect(text.split('\n').at(-1)).toBe(
		'(50 descriptions shortened; `my_search_skills` shows them in full.)',
	);
});

it('stage 3: names only, and it says so', () => {
	const text = fit(many(50, 'word '.repeat(100)), 200);
	const [names, note] = text.split('\n');
	expect(names.split(', ')).toHaveLength(50);
	expect(note).toBe('(All 50 descriptions left out; find skills with `search_skills`.)');
});

it('stage 4: some names are left out, and it says how many', () => {
	const text = fit(many(1000, 'x'), 500);
	const [names, note] = text.split('\n');
	const shown = names.split(', ').length;
	expect(shown).toBeGreaterThan(100);
	expect(estimateTokens(names)).toBeLessThanOrEqual(500);
	expect(note).toContain('All 1,000 descriptions');
	expect(note).toContain(`${1000 - shown} whole skills left out`);
});

it('a budget for nothing shows nothing but the way to search', () => {
	expect(fit(many(3, 'x'.repeat(100)), 1)).toContain('3 whole skills left out; find skills with');
});

it('escapes after it cut, so that no entity is split', () => {
	const lines = [line('a&b', `${'x'.repeat(76)}&&&&&&&&`), line('c', 'y'.repeat(100))];
	const options = { prefix: '', escape: escapeMarkup };
	expect(fitToBudget(lines, { ...options, maxTokens: 0 })).toContain('&amp;&amp;');
	expect(fitToBudget(lines, { ...options, maxTokens: 60 })).toContain(
		`${'x'.repeat(76)}&amp;&amp;&amp;…`,
	);
	expect(fitToBudget(lines, { ...options, maxTokens: 20 })).toContain('a&amp;b, c');
});
