import { echo } from '../../text';
import type { LibrarySkill } from '../types';
import type { SyncFolder } from './folder';
import type { Manifest, SyncedSkill } from './manifest';
import { isFolderName } from './names';

/**
 * Takes the name of a skill for a sync, so that it is known whose it is even when the sync is
 * interrupted; gives back why it cannot, null when it can.
 */
export function claim(
	manifest: Manifest,
	folder: SyncFolder,
	sync: string,
	{ id, name }: LibrarySkill,
): string | null {
	if (!isFolderName(name)) return 'The name cannot be that of a folder. Rename the skill.';
	if (folder.standing(name) === 'foreign') {
		return `There is already a "${echo(name)}" in the folder that no sync wrote. Rename one of them.`;
	}
	const known = manifest.skills.get(name);
	const others = known?.by.filter((key) => key !== sync) ?? [];
	if (others.length > 0 && known?.id !== id) {
		return 'Another sync wrote another skill of this name. Choose another folder.';
	}
	const blank: Omit<SyncedSkill, 'id' | 'hash' | 'by'> = { updatedAt: '', data: '', files: [] };
	// Without a hash it counts as changed until it is written.
	manifest.skills.set(name, { ...blank, ...known, id, hash: '', by: [...others, sync] });
	return null;
}

/** Gives up a sync's claim; tells whether another sync still has one. */
export function release(manifest: Manifest, sync: string, name: string): boolean {
	const entry = manifest.skills.get(name) as SyncedSkill;
	const by = entry.by.filter((key) => key !== sync);
	if (by.length > 0) manifest.skills.set(name, { ...entry, by });
	else manifest.skills.delete(name);
	return by.length > 0;
}
