import fc from 'fast-check';

import { splitSkill } from '../../nodes/core/frontmatter';
import { generateSkill } from '../../nodes/core/generate';
import { parseSkill } from '../../nodes/core/skill';
import { oneLine } from '../../nodes/core/text';

it('writes only the fields that there are', () => {
	expect(generateSkill({ name: 'pdf', description: 'Reads "PDF"', body: '\n# Do\n' })).toBe(
		'---\nname: "pdf"\ndescription: "Reads \\"PDF\\""\n---\n\n# Do\n',
	);
});

it('writes all fields so that they are read back', () => {
	const text = generateSkill({
		name: 'pdf',
		description: 'd',
		body: 'b',
		license: 'MIT: yes',
		compatibility: '*all*',
		allowedTools: ['Read', 'Bash(git add:*)'],
		metadata: { 'a: b': 'c\n---\nd', __proto: 'x' },
	});
	expect(parseSkill(Buffer.from(text), '/pdf/SKILL.md').fields).toEqual({
		name: 'pdf',
		description: 'd',
		license: 'MIT: yes',
		compatibility: '*all*',
		allowedTools: ['Read', 'Bash(git add:*)'],
		metadata: { 'a: b': 'c\n---\nd', __proto: 'x' },
		modelInvocable: true,
		diagnostics: [],
	});
});

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const anyName = fc.stringMatching(/^[a-z0-9]+(?:-[a-z0-9]+){0,3}$/).filter((n) => n.length <= 64);

it('property: whatever is written is read back, and no value leaves its field', () => {
	fc.assert(
		fc.property(
			anyName,
			anyText,
			anyText,
			fc.dictionary(fc.string({ maxLength: 20 }), anyText, { maxKeys: 5, noNullPrototype: true }),
			(name, description, body, metadata) => {
				fc.pre(oneLine(description) !== '' && !Object.hasOwn(metadata, '__proto__'));
				const text = generateSkill({ name, description, body, metadata });
				const { fields, diagnostics } = parseSkill(Buffer.from(text), `/${name}/SKILL.md`);
				expect(diagnostics.filter((one) => one.code.startsWith('yaml'))).toEqual([]);
				expect(fields?.name).toBe(name);
				expect(fields?.description).toBe(oneLine(description));
				expect(fields?.metadata).toEqual(
					Object.fromEntries(
						Object.entries(metadata).map(([key, value]) => [
							key.toWellFormed(),
							value.toWellFormed(),
						]),
					),
				);
				const lines = body.toWellFormed().replace(/\r\n?/g, '\n');
				expect(splitSkill(text.toWellFormed()).body).toBe(lines);
			},
		),
		{ numRuns: 300 },
	);
});
