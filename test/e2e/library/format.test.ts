import { openBench, type Bench } from '../support/bench';
import { library, named, newSkill } from '../support/library';

const user = 'format-anna';
const skill = { user, ...named('format-invoices') };
const description = 'Does format-invoices. Use when format-invoices is asked for.';

let bench: Bench;
let heading: string;

beforeAll(async () => {
	bench = await openBench();
	const invoices = newSkill('format-invoices', 'Add up the sums.', { tags: 'finance' });
	await library(bench, 'skill', 'create', { user, ...invoices });
	const isPublic = { visibility: 'public' };
	const letters = newSkill('format-letters', 'Write a letter.', isPublic);
	await library(bench, 'skill', 'create', { user, ...letters });
	await library(bench, 'file', 'put', { ...skill, path: 'references/tax.md', text: 'Tax: 19 %' });
	await library(bench, 'file', 'put', { ...skill, path: 'notes.txt', text: 'Note.' });
	const [stored] = await library(bench, 'skill', 'get', skill);
	heading = `# format-invoices

${description}

- Visibility: private, of format-anna
- Tags: finance
- Version: 3, of ${String(stored.json.updatedAt)}

## SKILL.md

\`\`\`markdown
---
name: format-invoices
description: ${description}
tags: [finance]
---
Add up the sums.
\`\`\`
`;
});

afterAll(async () => {
	await bench.close();
});

const textOf = async (operation: string, parameters: object) => {
	const [{ json }] = await library(bench, 'format', operation, { ...parameters });
	return json.text;
};

it('gives a whole skill as text, with what is in its files', async () => {
	expect(await textOf('content', { ...skill, withFiles: true })).toBe(`${heading}
## notes.txt

\`\`\`
Note.
\`\`\`

## references/tax.md

\`\`\`
Tax: 19 %
\`\`\`
`);
});

it('gives a skill as text without its files, which it only lists', async () => {
	expect(await textOf('content', { ...skill, withFiles: false })).toBe(`${heading}
## Files

\`\`\`
format-invoices/
├── SKILL.md
├── notes.txt (5 bytes)
└── references/
    └── tax.md (9 bytes)
\`\`\`
`);
});

it('gives the folder of a skill as a tree', async () => {
	expect(await textOf('tree', skill)).toBe(`format-invoices/
├── SKILL.md
├── notes.txt (5 bytes)
└── references/
    └── tax.md (9 bytes)
`);
});

it('gives many skills as a Markdown list', async () => {
	const filters = { owner: user };
	expect(await textOf('list', { user, filters })).toBe(
		`- **format-invoices** (private, of format-anna): ${description} #finance
- **format-letters** (public, of format-anna): ${description.replaceAll('invoices', 'letters')}
`,
	);
});

it('says so when there is no skill to list', async () => {
	const filters = { owner: 'nobody-has-this-name' };
	expect(await textOf('list', { user, filters })).toBe('There are no skills.\n');
});
