import { lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { MAX_SYNCED_FOLDERS } from '../../limits';
import { LruMap } from '../../lru';
import { isFolderName, newName, OWN_NAME } from './names';

const fileSchema = z.tuple([z.string(), z.number(), z.number(), z.number()]);

const dataSchema = z.union([z.literal(''), z.string().regex(OWN_NAME)]);

const skillSchema = z.object({
	id: z.string(),
	hash: z.string(),
	updatedAt: z.string(),
	/** What the folder of its files is called; empty: there is none yet. */
	data: dataSchema,
	/** What it is called once they are written anew: a sync may be killed before it says that they are. */
	next: dataSchema,
	/** Which syncs wrote it. */
	by: z.array(z.string()),
	/** Path, inode, size and time of each file. */
	files: z.array(fileSchema),
});

const syncSchema = z.object({
	stamp: z.number(),
	selection: z.string(),
	/** What it left out, to say so again. */
	shadowed: z.array(z.object({ id: z.string(), name: z.string(), reason: z.string() })),
});

const manifestSchema = z.object({
	version: z.literal(1),
	syncs: z.record(syncSchema),
	skills: z.record(z.string().refine(isFolderName), skillSchema),
	/** What was replaced, and when; readers may still be in it. */
	trash: z.array(z.tuple([z.string().regex(OWN_NAME), z.number()])),
});

/** One skill that a sync wrote. */
export type SyncedSkill = z.infer<typeof skillSchema>;

/** What the syncs of a folder wrote. */
export interface Manifest {
	syncs: Map<string, z.infer<typeof syncSchema>>;
	skills: Map<string, SyncedSkill>;
	trash: Array<[string, number]>;
	/** There was one, but it cannot be read: then nothing may be deleted. */
	isDamaged: boolean;
}

/** The name of the manifest in the data folder. */
export const MANIFEST = 'manifest.json';

const known = new LruMap<string, { looks: string; manifest: Manifest }>(MAX_SYNCED_FOLDERS);

/** Gives back the manifest of a data folder; one that is not to be understood is unknown. */
export function readManifest(data: string): Manifest {
	const path = join(data, MANIFEST);
	const looks = looksOf(path);
	if (looks === null) return emptyManifest(false);
	if (looks === '') return emptyManifest(true);
	const last = known.get(path);
	if (last?.looks === looks) return last.manifest;
	try {
		const { syncs, skills, trash } = manifestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
		const manifest: Manifest = {
			syncs: new Map(Object.entries(syncs)),
			skills: new Map(Object.entries(skills)),
			trash,
			isDamaged: false,
		};
		known.set(path, { looks, manifest });
		return manifest;
	} catch {
		return emptyManifest(true);
	}
}

/** Writes the manifest: a reader finds the old one or the new one. */
export function writeManifest(data: string, manifest: Manifest): void {
	const { syncs, skills, trash } = manifest;
	const text = JSON.stringify({
		version: 1,
		syncs: Object.fromEntries(syncs),
		skills: Object.fromEntries(skills),
		trash,
	});
	const path = join(data, MANIFEST);
	const beside = join(data, newName('new'));
	// Never through a link that somebody placed: the new file is made, and takes the other's name.
	writeFileSync(beside, text, { flag: 'wx' });
	renameSync(beside, path);
	known.set(path, { looks: looksOf(path) ?? '', manifest });
}

/** Forgets what is remembered of a data folder: what was changed in memory may not be on disk. */
export function forgetManifest(data: string): void {
	known.delete(join(data, MANIFEST));
}

function emptyManifest(isDamaged: boolean): Manifest {
	return { syncs: new Map(), skills: new Map(), trash: [], isDamaged };
}

function looksOf(path: string): string | null {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	if (stats === undefined) return null;
	// A link is not ours, wherever it leads.
	return stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : '';
}
