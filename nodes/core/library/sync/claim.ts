import { echo } from '../../text';
import type { LibrarySkill } from '../types';
import type { SyncFolder } from './folder';
import type { Manifest, SyncedSkill } from './manifest';
import { isFolderName, newName } from './names';
import type { Standing } from './standing';

/** Says the same whoever's it is: one user must not learn what private skills another one has. */
function taken(name: string): string {
	return `There is already a "${echo(name)}" in the folder, and it is not ours: it did not come from this sync. Rename one of them, or choose another folder.`;
}

/**
 * Gives back what stands under the name of a skill; ours is what the manifest says was written
 * there, not each copy of it.
 */
export function ownStanding(manifest: Manifest, folder: SyncFolder, name: string): Standing {
	const standing = folder.standing(name);
	if (standing.is === 'free' || standing.is === 'foreign') return standing;
	const entry = manifest.skills.get(name);
	if (standing.data === entry?.data || standing.data === entry?.next) return standing;
	// Without a manifest it is believed by its looks, unless it is the copy of another one.
	if (manifest.isDamaged && folder.isAlone(standing)) return standing;
	return folder.isEmpty(standing) ? standing : { is: 'foreign' };
}

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
	const standing = ownStanding(manifest, folder, name);
	if (standing.is === 'foreign') return taken(name);
	const known = manifest.skills.get(name);
	const others = known?.by.filter((key) => key !== sync) ?? [];
	if (others.length > 0 && known?.id !== id) return taken(name);
	const { updatedAt = '', files = [] } = known ?? {};
	const names = { data: standing.data ?? '', next: newName('v') };
	// Without a hash it counts as changed until it is written.
	manifest.skills.set(name, { id, updatedAt, files, ...names, hash: '', by: [...others, sync] });
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
