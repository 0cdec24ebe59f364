import { compareSkills } from '../../nodes/core/library/compare';
import type { Library } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { newFiles, newSkill } from './support/skills';

describe.each(DATABASES)('compare in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let library: Library;

	beforeAll(async () => {
		test = await openNew(newPlace);
		library = test.as('ann');
	});
	afterAll(async () => await test.close());

	const compare = async (name: string, from: number, to: number) =>
		compareSkills(await library.version({ name }, from), await library.version({ name }, to));

	it('tells fields, lines and files that changed', async () => {
		const lines = Array.from({ length: 20 }, (__, at) => `line ${at}`);
		await library.create(
			newSkill('pdf', {
				content: lines.join('\n'),
				tags: ['a'],
				extras: { license: 'MIT', kept: { x: '1', y: '2' } },
				files: newFiles({ same: '1', gone: '2', changed: '3' }),
			}),
		);
		await library.update(
			{ name: 'pdf' },
			{
				description: 'new',
				tags: ['a', 'b'],
				extras: { author: 'me', kept: { y: '2', x: '1' } },
				content: lines.with(2, 'LINE 2').with(19, 'line 19\n').join('\n'),
				files: newFiles({ same: '1', changed: '33', come: '4' }),
			},
		);
		expect(await compare('pdf', 1, 2)).toEqual({
			name: 'pdf',
			from: 1,
			to: 2,
			isSame: false,
			fields: [
				{ field: 'author', before: null, after: 'me' },
				{ field: 'description', before: 'What pdf does', after: 'new' },
				{ field: 'license', before: 'MIT', after: null },
				{ field: 'tags', before: ['a'], after: ['a', 'b'] },
			],
			text: [
				'@@ -1,6 +1,6 @@',
				' line 0',
				' line 1',
				'-line 2',
				'+LINE 2',
				' line 3',
				' line 4',
				' line 5',
				'@@ -17,4 +17,4 @@',
				' line 16',
				' line 17',
				' line 18',
				'-line 19',
				'\\ No newline at end of file',
				'+line 19',
				'',
			].join('\n'),
			linesAdded: 2,
			linesRemoved: 2,
			files: [
				{ path: 'changed', change: 'changed', before: 1, after: 2 },
				{ path: 'come', change: 'added', after: 1 },
				{ path: 'gone', change: 'removed', before: 1 },
			],
		});
	});

	it('says so when nothing differs', async () => {
		await library.create(newSkill('same', { files: newFiles({ x: 'x' }) }));
		expect(await compare('same', 1, 1)).toMatchObject({
			isSame: true,
			text: '',
			fields: [],
			files: [],
		});
	});
});
