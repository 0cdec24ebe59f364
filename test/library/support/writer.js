/** A process of its own that uses a library, as another n8n would. */
const { Buffer } = require('node:buffer');
const { hash } = require('node:crypto');
const { join } = require('node:path');
const { setTimeout } = require('node:timers/promises');

const dist = join(__dirname, '../../../dist/nodes/core/library');
const [, , address, task, name, changes] = process.argv;
const FILES = 10;

async function open() {
	const { sqlite, postgres } = JSON.parse(address);
	if (sqlite) return await require(join(dist, 'sqlite.js')).openSqlite(sqlite);
	return await require(join(dist, 'postgres.js')).openPostgres(postgres);
}

/** A skill in which every part holds the same word: two words in one would be half a change. */
function skillWith(word, size = 1) {
	const content = `${word} `.repeat(size);
	const files = Array.from({ length: FILES }, (_, at) => ({
		path: `file-${at}.md`,
		content: Buffer.from(`${at} ${content}`),
	}));
	return { description: word, content, tags: [word], files };
}

/** The words that the parts of a skill hold. */
function wordsOf(skill) {
	const texts = [skill.description, skill.content, ...skill.tags];
	const files = skill.files.map(({ content }) => Buffer.from(content).toString().slice(2));
	return [...new Set([...texts, ...files].map((text) => text.trim().split(' ')[0]))];
}

/** Tells whether the text is of another version than the fields beside it. */
async function isTextHalf(library, { id }) {
	const { description, tags, content, version } = await library.text({ id });
	const words = [description, ...tags, content.trim()];
	const isOfVersion = description.endsWith(version === 1 ? '-a' : '-b');
	return new Set(words).size !== 1 || !isOfVersion;
}

/** Tells whether a file has another content than its hash and size say. */
async function isFileHalf(library, { id }) {
	const { content, size, hash: said } = await library.file({ id }, 'file-3.md');
	return size !== content.byteLength || said !== hash('sha256', content, 'hex');
}

/** Opens the library as a package that knows one version of the tables more. */
async function openLater(statements) {
	const { sqlite, postgres } = JSON.parse(address);
	const speak = (dialect) => {
		const texts = statements.map((text) => text.replaceAll('skills', `${dialect.prefix}skills`));
		return { ...dialect, migrations: [...dialect.migrations, texts] };
	};
	const open = sqlite
		? async () => await require(join(dist, 'sqlite.js')).openSqliteFile(sqlite, speak)
		: async () => await require(join(dist, 'postgres.js')).openPostgresSchema(postgres, speak);
	console.log('ready');
	return await open();
}

/** Makes and changes skills, looks at everybody's meanwhile, and follows the log of changes. */
async function compete(library, count) {
	const halves = [];
	const followed = [];
	let after = 0;
	const follow = async () => {
		const { changes, last } = await library.changes(after);
		after = last;
		followed.push(...changes.map(({ sequence }) => sequence));
	};
	for (let at = 0; at < count; at++) {
		const { id } = await library.create({ name: `${name}-${at}`, ...skillWith(`${name}-${at}-a`) });
		await follow();
		await library.update({ id }, skillWith(`${name}-${at}-b`), 1);
		const { skills } = await library.list({ limit: 50 });
		const some = skills[Math.floor(Math.random() * skills.length)];
		const whole = await library.get({ id: some.id });
		if (whole.files.length !== FILES || wordsOf(whole).length !== 1) halves.push(whole.name);
		if (await isTextHalf(library, some)) halves.push(`${some.name}, text`);
		if (await isFileHalf(library, some)) halves.push(`${some.name}, file`);
		await follow();
	}
	const end = Date.now() + 60_000;
	while (followed.length < Number(changes) && Date.now() < end) {
		await setTimeout(20);
		await follow();
	}
	return { halves, followed };
}

/** Imports a folder, and prints the name of each skill that is made. */
async function importFolder(library, path) {
	const { createFilesystemBackend } = require(join(dist, '../backends'));
	const { createSkillSet } = require(join(dist, '../skillset'));
	const { importSkills } = require(join(dist, 'import.js'));
	const access = { isBlocked: () => false, explain: () => '' };
	const backend = createFilesystemBackend({ root: '', sources: [path], access });
	const source = createSkillSet({ backend, sources: [{ path, label: 'Folder' }] });
	const onProgress = (_done, _total, result) => console.log(result.name);
	await importSkills(library, source, { ownerId: name, onProgress });
}

async function main() {
	if (task === 'upgrade') {
		const sql = await openLater(JSON.parse(name));
		const [row] = await sql.read(`SELECT schema_version FROM ${sql.dialect.prefix}library`);
		console.log(JSON.stringify(Number(row.schema_version)));
		return await sql.close();
	}
	const database = await open();
	const library = database.as({ user: name, isAdministrator: true });
	if (task === 'open') {
		console.log(JSON.stringify({ stamp: await library.stamp() }));
	} else if (task === 'compete') {
		console.log(JSON.stringify(await compete(library, 100)));
	} else if (task === 'import-folder') {
		await importFolder(library, changes);
	} else {
		for (let at = 0; ; at++) {
			await library.create({ name: `${name}-${at}`, ...skillWith(`${name}-${at}`, 3000) });
			console.log(at);
		}
	}
	await database.close();
}

module.exports = { wordsOf, FILES };
if (require.main === module) void main();
