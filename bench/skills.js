/** Makes folders of skills of about 5 KB each, always the same. */
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const FILE_BYTES = 5000;
const SKILLS_PER_SOURCE = 1000;
const NOUNS = ['invoice', 'mail', 'alert', 'notes', 'payload', 'contract'];
const TASKS = ['reviews', 'summarises', 'checks', 'plans', 'translates', 'classifies', 'routes'];
const THINGS = [
	'supplier invoices with their VAT and totals',
	'support mails of customers who wait for a refund',
	'alerts from monitoring and decides who is to be called',
	'meeting notes and turns them into tasks with owners',
	'webhook payloads and maps them to the fields of a CRM',
	'contracts and lists the clauses that a lawyer should see',
];
const LINE =
	'Read the input line by line, note what is missing, and ask for it before you go on.\n';

const pick = (list, index) => list[index % list.length];

/** Gives back name and description of the skill with a number; public files have 140 characters too. */
function skillOf(index) {
	const name = `${pick(NOUNS, index)}-helper-${index}`;
	const description = `This skill ${pick(TASKS, index)} ${pick(THINGS, index)}. Use it when somebody on the team asks about case ${index} or one like it.`;
	return { name, description };
}

/** Common ways to write a header; @n8n/agents refuses fields that the specification does not know. */
const HEADERS = [
	({ name, description }) => `name: ${name}\ndescription: ${description}`,
	({ name, description }) => `name: ${name}\ndescription: "${description}"`,
	({ name, description }) => `name: ${name}\ndescription: >-\n  ${description}`,
	({ name, description }) =>
		`name: ${name}\ndescription: ${description}\nmetadata:\n  author: team\n  version: "1.0"`,
];
// An emoji is what our fast path leaves to `yaml`.
const UNUSUAL_HEADERS = [
	({ name, description }) => `name: ${name}\ndescription: ${description} 🎉`,
];

/** Writes so many skills and gives back their sources: folders of a thousand each. */
function writeSkills(root, amount, headers = HEADERS) {
	const sources = new Set();
	for (let index = 0; index < amount; index++) {
		const source = join(root, `source-${Math.floor(index / SKILLS_PER_SOURCE)}`);
		const skill = skillOf(index);
		const dir = join(source, skill.name);
		mkdirSync(dir, { recursive: true });
		sources.add(source);
		const start = `---\n${pick(headers, index)(skill)}\n---\n\n# ${skill.name}\n\n`;
		const body = LINE.repeat(Math.ceil((FILE_BYTES - start.length) / LINE.length));
		writeFileSync(join(dir, 'SKILL.md'), start + body);
	}
	return [...sources];
}

module.exports = { skillOf, UNUSUAL_HEADERS, writeSkills };
