/** The Skill Library with 10,000 skills in SQLite: to list them, to look again, to sync them again. */
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { DatabaseSync } = require('node:sqlite');

const dist = join(__dirname, '../../dist/nodes/core');
const { createLibraryBackend } = require(join(dist, 'backends'));
const { discoverSkills } = require(join(dist, 'discover'));
const { openSqlite } = require(join(dist, 'library/sqlite'));
const { syncSkills } = require(join(dist, 'library/sync'));
const { clearRegistryCache } = require(join(dist, 'registry'));
const { createSkillSet } = require(join(dist, 'skillset'));
const { interleaved } = require('../measure');
const { skillOf } = require('../skills');

const SKILLS = 10_000;
const LOOKS = 2000;
const BODY = 'Read the input line by line, note what is missing, and ask for it.\n'.repeat(70);
const COLUMNS =
	'id, name, description, tags, is_public, owner_id, extras, version, content_hash, created_at, updated_at';

/** Gives back the keys of this suite and their limits. */
async function library({ root }) {
	const file = join(root, 'library.sqlite');
	const database = await openSqlite(file);
	const user = 'ann';
	const own = database.as({ user, isAdministrator: false });
	for (let index = 0; index < SKILLS; index++) {
		const extras = { license: 'MIT' };
		await own.create({ ...skillOf(index), content: BODY, tags: ['bench'], extras });
	}
	const plain = new DatabaseSync(file, { readOnly: true });
	try {
		const list = await measureList(database, plain, user);
		const warm = await measureWarm(database, plain, user);
		const sync = await measureSync(own, join(root, 'synced'), user);
		return {
			ratios: {
				libraryList: list.ratio('discover', 'select'),
				// Parsed, validated and merged besides: all that a cold Skills Source does.
				libraryRefresh: list.ratio('refresh', 'select'),
				libraryWarm: warm.ratio('warm', 'select'),
				librarySyncWarm: sync.ratio('sync', 'stat'),
			},
			limits: { libraryList: 2, libraryWarm: 5, librarySyncWarm: 2 },
			report: { library: { list: list.medians, warm: warm.medians, sync: sync.medians } },
		};
	} finally {
		plain.close();
		await database.close();
	}
}

function skillSet(database, user) {
	const backend = createLibraryBackend({ database, user });
	return createSkillSet({ backend, sources: [{ path: '/', label: 'Library' }] });
}

/** Discovery of a library that this process never saw, over a plain SELECT of the same columns. */
async function measureList(database, plain, user) {
	const select = plain.prepare(`SELECT ${COLUMNS} FROM skills ORDER BY name_key, id`);
	let runs = 0;
	const unseen = () => ({ ...database, id: `${database.id} ${runs++}` });
	return await interleaved(
		{
			select: { run: () => expectAll(select.all()) },
			discover: {
				run: async () => {
					const backend = createLibraryBackend({ database: unseen(), user });
					expectAll((await discoverSkills(backend, '/')).files);
				},
			},
			refresh: {
				before: clearRegistryCache,
				run: async () => expectAll((await skillSet(unseen(), user).refresh()).skills),
			},
		},
		15,
	);
}

/** Many looks at a library that did not change, over as many questions that ask for nothing. */
async function measureWarm(database, plain, user) {
	const set = skillSet(database, user);
	expectAll((await set.refresh()).skills);
	return await interleaved(
		{
			select: {
				run: () => {
					for (let look = 0; look < LOOKS; look++) plain.prepare('SELECT 1').get();
				},
			},
			warm: {
				run: async () => {
					for (let look = 0; look < LOOKS; look++) await set.refresh();
				},
			},
		},
		15,
	);
}

/** A sync with nothing to do, over a stat of every file that it wrote. */
async function measureSync(own, folder, user) {
	const access = { isBlocked: () => false, explain: () => '' };
	const actor = { database: 'bench', isAdministrator: false, user };
	const sync = async () => await syncSkills(own, { folder, access, key: 'bench', ...actor });
	const written = await sync();
	expectAll(written.filter(({ action }) => action === 'written'));
	const files = readdirSync(folder)
		.filter((name) => !name.startsWith('.'))
		.map((name) => join(folder, name, 'SKILL.md'));
	return await interleaved(
		{
			stat: { run: () => files.forEach((file) => statSync(file)) },
			sync: {
				run: async () => expectAll((await sync()).filter(({ action }) => action === 'unchanged')),
			},
		},
		15,
	);
}

function expectAll(list) {
	if (list.length !== SKILLS) throw new Error(`${list.length} of ${SKILLS} skills were found`);
}

module.exports = library;
