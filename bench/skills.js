/** Makes folders of skills of about 5 KB each, always the same. */
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const BODY_BYTES = 4700;
const SKILLS_PER_SOURCE = 1000;
const TASKS = ['reviews', 'summarises', 'checks', 'plans', 'translates', 'classifies', 'routes'];
const THINGS = [
	'supplier invoices with their VAT and totals',
	'support mails of customers who wait for a refund',
	'alerts from monitoring and decides who is to be called',
	'meeting notes and turns them into tasks with owners',
	'webhook payloads and maps them to the fields of a CRM',
	'contracts and lists the clauses that a lawyer should see',
];

const pick = (list, index) => list[index % list.length];

/** Gives back name and description of the skill with a number. */
function skillOf(index) {
	const name = `${pick(['invoice', 'mail', 'alert', 'notes', 'payload', 'contract'], index)}-helper-${index}`;
	const description = `This skill ${pick(TASKS, index)} ${pick(THINGS, index)}. Use it when somebody asks about case ${index} of the team.`;
	return { name, description };
}

/** Writes so many skills and gives back their sources: folders of a thousand each. */
function writeSkills(root, amount) {
	const line =
		'Read the input line by line, note what is missing, and ask for it before you go on.\n';
	const body = line.repeat(Math.ceil(BODY_BYTES / line.length));
	const sources = new Set();
	for (let index = 0; index < amount; index++) {
		const source = join(root, `source-${Math.floor(index / SKILLS_PER_SOURCE)}`);
		const { name, description } = skillOf(index);
		const dir = join(source, name);
		mkdirSync(dir, { recursive: true });
		sources.add(source);
		writeFileSync(
			join(dir, 'SKILL.md'),
			`---\nname: ${name}\ndescription: ${description}\nlicense: MIT\n---\n\n# ${name}\n\n${body}`,
		);
	}
	return [...sources];
}

module.exports = { skillOf, writeSkills };
