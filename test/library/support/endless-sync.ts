import { openSqlite } from '../../../nodes/core/library/sqlite';
import { syncSkills } from '../../../nodes/core/library/sync';
import { openAccess } from '../../core/support';
import { ANN, newFiles, newSkill } from './skills';

/** Syncs the same skills to a folder again and again, until it is killed. */
async function main(folder: string, database: string, names: string[]): Promise<void> {
	const library = (await openSqlite(database)).as(ANN);
	const body = `${'text '.repeat(20_000)}the end`;
	for (const name of names) {
		await library.create(newSkill(name, { content: body, files: newFiles({ 'data.txt': body }) }));
	}
	process.stdout.write('ready');
	const actor = { database, isAdministrator: false, user: 'ann' };
	for (;;) {
		await syncSkills(library, { folder, access: openAccess, key: 'k', ...actor, clean: true });
	}
}

const [folder, database, ...names] = process.argv.slice(2);
void main(folder, database, names);
