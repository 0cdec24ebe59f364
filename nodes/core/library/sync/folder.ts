import {
	existsSync,
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
import { MARKER, markerOf, standingIn, type Standing } from './standing';

/**
 * How a skill appears under its name. A link is exchanged in one step; where links are not to be
 * had (Windows, some network drives) the old folder is moved away before the new one comes, and for
 * that moment there is none.
 */
export type SyncStyle = 'links' | 'folders';

type File = { path: string; content: Uint8Array };

/** A folder that skills are written to: the one place that changes it. */
export class SyncFolder {
	/** What the links pointed to when it was first asked. */
	private links?: string[];

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

	/** Gives back what stands under a name, by its looks. */
	standing(name: string): Standing {
		return standingIn(this.base, name);
	}

	/** Tells whether nothing but this name leads to the files. */
	isAlone(standing: Standing): boolean {
		if (standing.is !== 'link') return true;
		this.links ??= this.linked();
		return this.links.filter((data) => data === standing.data).length <= 1;
	}

	/** Tells whether the files are gone to which a link leads. */
	isEmpty(standing: Standing): boolean {
		return standing.is === 'link' && !existsSync(join(this.data, standing.data));
	}

	/** Tells whether all files of a skill are still the ones that were written. */
	isIntact(name: string, { files }: SyncedSkill): boolean {
		const dir = `${this.base}/${name}/`;
		return files.every(([path, inode, size, time]) => {
			const stats = statOrNull(dir + path);
			return stats?.ino === inode && stats.size === size && stats.mtimeMs === time;
		});
	}

	/** Writes files beside everything that is in use; gives back how they look. */
	async write(name: string, data: string, files: File[]): Promise<SyncedSkill['files']> {
		if (this.style === 'links' && !this.canLink()) this.style = 'folders';
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
			if (this.style === 'folders') {
				await writeNew(join(root, MARKER), Buffer.from(markerOf(name, data)));
			}
			if (realpathSync.native(root) !== root) throw new Error('somebody moved the data folder');
		} catch (error) {
			await rm(root, { recursive: true, force: true });
			throw error;
		}
		return written;
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
		if (before.is !== 'link') {
			// Fails where something has come to stand there meanwhile.
			const old = this.takeAway(name, before);
			symlinkSync(target, path, 'dir');
			return old;
		}
		const beside = join(this.data, newName('link'));
		symlinkSync(target, beside, 'dir');
		renameSync(beside, path);
		return [before.data];
	}

	/** Takes a skill away; gives back the names of what is now unused in the data folder. */
	takeAway(name: string, before: Standing): string[] {
		const path = join(this.base, name);
		if (before.is === 'link') {
			unlinkSync(path);
			return [before.data];
		}
		if (before.is !== 'folder') return [];
		const old = newName('old');
		renameSync(path, join(this.data, old));
		return [old];
	}

	/**
	 * Removes what was replaced long ago, and finds what an interrupted sync left behind; gives back
	 * what is to be removed later.
	 */
	async cleanUp({ skills, trash }: Manifest, now: number): Promise<Manifest['trash']> {
		const used = new Set(this.linked());
		for (const { data, next } of skills.values()) used.add(data).add(next);
		const left: Manifest['trash'] = [];
		for (const [dir, at] of trash) {
			if (now - at < SYNC_GRACE_MS) left.push([dir, at]);
			else if (used.has(dir) || !(await this.delete(dir))) left.push([dir, now]);
		}
		for (const [dir] of left) used.add(dir);
		for (const dir of readdirSync(this.data)) {
			if (OWN_NAME.test(dir) && !used.has(dir)) left.push([dir, now]);
		}
		return left;
	}

	private async delete(dir: string): Promise<boolean> {
		try {
			await rm(join(this.data, dir), { recursive: true, force: true });
			return true;
		} catch {
			// A sandbox may have left files of another user in it.
			return false;
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
