import { syncSkills } from '../../../nodes/core/library/sync';
import { openAccess } from '../support';
import { MemoryDatabase } from './memory';
import { ANN, newFiles, newSkill } from './support';

/** Syncs ever new skills to a folder, until it is killed. */
async function main(folder: string, names: string[]): Promise<void> {
	const library = new MemoryDatabase().as(ANN);
	const body = `${'text '.repeat(20_000)}the end`;
	for (const name of names) {
		await library.create(newSkill(name, { content: body, files: newFiles({ 'data.txt': body }) }));
	}
	process.stdout.write('ready');
	for (;;) {
		await syncSkills(library, { folder, access: openAccess, key: 'k', user: 'ann', clean: true });
	}
}

void main(process.argv[2], process.argv.slice(3));
