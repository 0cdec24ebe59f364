import {
	lstatSync,
	mkdirSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	renameSync,
	symlinkSync,
	unlinkSync,
} from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { codeOf, type FileAccess } from '../../backends/guard';
import { SkillError } from '../../errors';
import { SYNC_GRACE_MS } from '../../limits';
import { safeRelativePath } from '../../path';
import { echo } from '../../text';
import { assertAllowed, makeFolders, realAbove, statOrNull, writeNew } from './disk';
import type { Manifest, SyncedSkill } from './manifest';
import { DATA_FOLDER, dataOfLink, newName, OWN_NAME } from './names';

/**
 * How a skill appears under its name. A link is exchanged in one step; where links are not to be
 * had (Windows, some network drives) the old folder is moved away before the new one comes, and for
 * that moment there is none.
 */
export type SyncStyle = 'links' | 'folders';

/** What stands under the name of a skill. */
export type Standing = 'free' | 'link' | 'folder' | 'foreign';

/** Says of a folder that a sync wrote it. */
const MARKER = '.skill-library';
const NO_THROW = { throwIfNoEntry: false } as const;

type File = { path: string; content: Uint8Array };

/** A folder that skills are written to: the one place that changes it. */
export class SyncFolder {
	private constructor(
		/** Real path of the folder. */
		readonly base: string,
		/** Real path of the data folder in it. */
		readonly data: string,
		private style: SyncStyle,
	) {}

	/** Gives back the folder, made where it is missing; throws a `SkillError` where it may not be. */
	static async open(
		folder: string,
		access: FileAccess,
		style: SyncStyle = process.platform === 'win32' ? 'folders' : 'links',
	): Promise<SyncFolder> {
		const path = resolve(folder);
		await assertAllowed(realAbove(path), access);
		mkdirSync(path, { recursive: true });
		const base = realpathSync.native(path);
		await assertAllowed(base, access);
		const data = join(base, DATA_FOLDER);
		try {
			mkdirSync(data);
		} catch (error) {
			if (codeOf(error) !== 'EEXIST') throw error;
		}
		if (!lstatSync(data).isDirectory()) {
			const message = `${data} is a link or a file, not the folder that a sync keeps its files in.`;
			throw new SkillError('source-blocked', message, 'Remove it, or choose another folder.');
		}
		return new SyncFolder(base, data, style);
	}

	/** Gives back what stands under a name. */
	standing(name: string): Standing {
		const path = join(this.base, name);
		const stats = lstatSync(path, NO_THROW);
		if (stats === undefined) return 'free';
		if (stats.isSymbolicLink()) return dataOfLink(readlinkSync(path)) === null ? 'foreign' : 'link';
		const marker = stats.isDirectory() && lstatSync(join(path, MARKER), NO_THROW);
		return marker && marker.isFile() ? 'folder' : 'foreign';
	}

	/** Tells whether all files of a skill are still the ones that were written. */
	isIntact(name: string, { files }: SyncedSkill): boolean {
		const dir = `${this.base}/${name}/`;
		return files.every(([path, inode, size, time]) => {
			const stats = statOrNull(dir + path);
			return stats?.ino === inode && stats.size === size && stats.mtimeMs === time;
		});
	}

	/** Writes files beside everything that is in use; gives back their folder and how they look. */
	async write(files: File[]): Promise<Pick<SyncedSkill, 'data' | 'files'>> {
		if (this.style === 'links' && !this.canLink()) this.style = 'folders';
		const data = newName('v');
		const root = join(this.data, data);
		const made = new Set([root]);
		await mkdir(root);
		const written: SyncedSkill['files'] = [];
		try {
			for (const { path, content } of files) {
				if (safeRelativePath(path) !== path)
					throw new Error(`the path "${echo(path)}" is not allowed`);
				await makeFolders(dirname(join(root, path)), made);
				written.push([path, ...(await writeNew(join(root, path), content))]);
			}
			if (this.style === 'folders') await writeNew(join(root, MARKER), Buffer.from(''));
			if (realpathSync.native(root) !== root) throw new Error('somebody moved the data folder');
		} catch (error) {
			await rm(root, { recursive: true, force: true });
			throw error;
		}
		return { data, files: written };
	}

	/** Lets the name of a skill mean the written files; gives back the names of what is now unused. */
	swapIn(name: string, data: string, before: Standing): string[] {
		if (this.style === 'links') return this.link(name, data, before);
		const old = this.takeAway(name, before);
		renameSync(join(this.data, data), join(this.base, name));
		return old;
	}

	private canLink(): boolean {
		const path = join(this.data, newName('link'));
		try {
			symlinkSync(DATA_FOLDER, path, 'dir');
			unlinkSync(path);
			return true;
		} catch {
			return false;
		}
	}

	private link(name: string, data: string, before: Standing): string[] {
		const path = join(this.base, name);
		const target = `${DATA_FOLDER}/${data}`;
		if (before !== 'link') {
			// Fails where something has come to stand there meanwhile.
			const old = this.takeAway(name, before);
			symlinkSync(target, path, 'dir');
			return old;
		}
		const old = dataOfLink(readlinkSync(path));
		const beside = join(this.data, newName('link'));
		symlinkSync(target, beside, 'dir');
		renameSync(beside, path);
		return old === null ? [] : [old];
	}

	/** Takes a skill away; gives back the names of what is now unused in the data folder. */
	takeAway(name: string, before: Standing): string[] {
		const path = join(this.base, name);
		if (before === 'link') {
			const old = dataOfLink(readlinkSync(path));
			unlinkSync(path);
			return old === null ? [] : [old];
		}
		if (before !== 'folder') return [];
		const old = newName('old');
		renameSync(path, join(this.data, old));
		return [old];
	}

	/** Removes what was replaced long ago, and finds what an interrupted sync left behind. */
	async cleanUp(manifest: Manifest, now: number): Promise<void> {
		const due = manifest.trash.filter(([, at]) => now - at >= SYNC_GRACE_MS);
		for (const [dir] of due) await rm(join(this.data, dir), { recursive: true, force: true });
		manifest.trash = manifest.trash.filter((one) => !due.includes(one));
		const used = new Set(manifest.trash.map(([dir]) => dir));
		for (const { data } of manifest.skills.values()) used.add(data);
		for (const dir of this.linked()) used.add(dir);
		for (const dir of readdirSync(this.data)) {
			if (OWN_NAME.test(dir) && !used.has(dir)) manifest.trash.push([dir, now]);
		}
	}

	/** Gives back the names in the data folder that any link points to, known or not. */
	private linked(): string[] {
		return readdirSync(this.base, { withFileTypes: true }).flatMap((entry) => {
			if (!entry.isSymbolicLink()) return [];
			return dataOfLink(readlinkSync(join(this.base, entry.name))) ?? [];
		});
	}
}
