import { createLibrary } from '../../nodes/core/library/service';
import type { Library, LibraryDatabase, LibraryError } from '../../nodes/core/library/types';
import { createRepository } from '../../nodes/core/library/writing';
import { DATABASES } from './support/databases';
import { newSkill } from './support/skills';

const ROUNDS = 20;

describe.each(DATABASES)('two writers of one library in %s', (_, newPlace) => {
	let databases: LibraryDatabase[];
	let one: Library;
	let two: Library;

	beforeAll(async () => {
		const place = newPlace();
		databases = [await place.open(), await place.open()].map((sql) =>
			createLibrary(createRepository(sql)),
		);
		[one, two] = databases.map((database) => database.as({ user: 'ann', isAdministrator: false }));
	});
	afterAll(
		async () => await Promise.all(databases.map(async (database) => await database.close())),
	);

	it('cannot both take a name', async () => {
		for (let round = 0; round < ROUNDS; round++) {
			const made = [one, two].map(async (library) => await library.create(newSkill(`n-${round}`)));
			const results = await Promise.allSettled(made);
			const codes = results.map((result) =>
				result.status === 'fulfilled' ? 'made' : (result.reason as LibraryError).code,
			);
			expect(codes.sort()).toEqual(['made', 'name-taken']);
		}
	});

	it('cannot both change the same version', async () => {
		const { id } = await one.create(newSkill('contended'));
		for (let version = 1; version <= ROUNDS; version++) {
			const changes = [one, two].map(
				async (library, at) =>
					await library.update({ id }, { content: `${version} by ${at}` }, version),
			);
			const results = await Promise.allSettled(changes);
			expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
			expect((await two.find({ id })).version).toBe(version + 1);
		}
	});

	it('do not lose a content that one lets go while the other takes it', async () => {
		for (let round = 0; round < ROUNDS; round++) {
			const content = `shared ${round}`;
			const { id } = await one.create(newSkill(`old-${round}`, { content }));
			const [, made] = await Promise.all([
				one.remove({ id }),
				two.create(newSkill(`new-${round}`, { content })),
			]);
			expect((await one.get({ id: made.id })).content).toBe(content);
		}
	});
});
