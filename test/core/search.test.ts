import { searchSkills, wordsOf } from '../../nodes/core/search';
import { fakeSkill } from './support';

const SKILLS = [
	fakeSkill('git-release', { description: 'Cut a release and write its notes' }),
	fakeSkill('invoice', {
		description: 'Write invoices from orders',
		metadata: { tags: 'billing' },
	}),
	fakeSkill('pdf', { description: 'Read, fill and merge PDF documents' }),
	fakeSkill('report', { description: 'Monthly reports as PDF' }),
	fakeSkill('日本語', { description: '文書を翻訳する' }),
];
const found = (query: string) => searchSkills(SKILLS, query).map((skill) => skill.name);

it('finds by words of the description', () => {
	expect(found('merge documents')).toEqual(['pdf']);
});

it('a word of the name counts more than one of the description', () => {
	expect(found('pdf')).toEqual(['pdf', 'report']);
});

it('the exact name comes first, however it is written', () => {
	expect(found('Git Release')[0]).toBe('git-release');
	expect(found('git_release')[0]).toBe('git-release');
});

it('finds words that begin alike, but not by short ones', () => {
	expect(found('reporting')).toEqual(['report']);
	expect(found('invoices')).toEqual(['invoice']);
	expect(found('re')).toEqual([]);
});

it('finds by metadata', () => expect(found('billing')).toEqual(['invoice']));

it('finds in languages without spaces', () => expect(found('翻訳')).toEqual(['日本語']));

it('parts words where the script changes', () =>
	expect(wordsOf('处理PDF文件')).toEqual(['处', '理', 'pdf', '文', '件']));

it('more fitting words rank higher, equal ones keep the order of the catalog', () => {
	expect(found('write release notes')).toEqual(['git-release', 'invoice']);
	expect(found('write')).toEqual(['git-release', 'invoice']);
});

it.each(['', '   ', '!?', 'zebra'])('finds nothing for %j', (query) => {
	expect(found(query)).toEqual([]);
});
