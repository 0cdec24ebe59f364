import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

import type { FileAccess } from '../backends/filesystem';
import { messageOf } from '../errors';
import { SKILLS_BETWEEN_PAUSES, SYNC_GRACE_MS } from '../limits';
import { filesOfSkill } from './export';
import { claim, ownStanding, release } from './sync/claim';
import { SyncFolder, type SyncStyle } from './sync/folder';
import { withLock, type Lock } from './sync/lock';
import {
	forgetManifest,
	readManifest,
	writeManifest,
	type Manifest,
	type SyncedSkill,
} from './sync/manifest';
import { isNotFound, keyOf, notFound, selectSkills, type Selection } from './sync/select';
import type { SyncStatus } from './sync/status';
import { LibraryError, type Library, type LibrarySkill } from './types';

export type { SyncStatus } from './sync/status';

/** What is written where. */
export interface SyncOptions extends Selection {
	/** Each skill becomes a folder in it. */
	folder: string;
	access: FileAccess;
	/** Names this sync: only what it wrote itself is ever removed. */
	key: string;
	/** Write all anew, changed or not. */
	clean?: boolean;
	style?: SyncStyle;
	/** Hears of each skill that is done. */
	onProgress?: (done: number, total: number, status: SyncStatus) => void;
}

/**
 * Gives back what became of each skill: the folder then holds the chosen ones, each swapped in
 * whole. One failure stops no other. It throws a `SkillError` when the folder cannot be used.
 */
export async function syncSkills(library: Library, options: SyncOptions): Promise<SyncStatus[]> {
	const folder = await SyncFolder.open(options.folder, options.access, options.style);
	return await withLock(folder.data, async (lock) => {
		try {
			return await new Sync(library, options, folder, readManifest(folder.data), lock).run();
		} catch (error) {
			forgetManifest(folder.data);
			throw error;
		}
	});
}

class Sync {
	private readonly key: string;
	private readonly selection: string;
	private readonly statuses: SyncStatus[] = [];
	private total = 0;
	/** The manifest says something else than the one on disk. */
	private isDirty = false;

	constructor(
		private readonly library: Library,
		private readonly options: SyncOptions,
		private readonly folder: SyncFolder,
		private readonly manifest: Manifest,
		private readonly lock: Lock,
	) {
		this.key = shortHash(options.key);
		this.selection = shortHash(keyOf(options));
	}

	async run(): Promise<SyncStatus[]> {
		const { manifest } = this;
		if (!(await this.isAsBefore())) await this.renew();
		if (this.isDirty) this.save();
		const now = Date.now();
		const isDue = manifest.trash.some(([, at]) => now - at >= SYNC_GRACE_MS);
		if (!manifest.isDamaged && (this.isDirty || isDue)) await this.cleanUp(now);
		manifest.isDamaged = false;
		return this.statuses;
	}

	private save(): void {
		this.lock.assertHeld();
		writeManifest(this.folder.data, this.manifest);
	}

	private async cleanUp(now: number): Promise<void> {
		const { manifest, folder } = this;
		try {
			const left = await folder.cleanUp(manifest, now);
			if (JSON.stringify(left) === JSON.stringify(manifest.trash)) return;
			manifest.trash = left;
			this.save();
		} catch {
			// All skills are written and noted: what is left over is found again by the next sync.
			forgetManifest(folder.data);
		}
	}

	/** Tells whether neither the library nor any written file changed since this sync last ran. */
	private async isAsBefore(): Promise<boolean> {
		const last = this.options.clean ? undefined : this.manifest.syncs.get(this.key);
		if (last?.selection !== this.selection) return false;
		if (last.stamp !== (await this.library.stamp())) return false;
		const own = [...this.manifest.skills].filter(([, { by }]) => by.includes(this.key));
		for (const [index, [name, entry]] of own.entries()) {
			if (index % SKILLS_BETWEEN_PAUSES === SKILLS_BETWEEN_PAUSES - 1) await setImmediate();
			if (!this.folder.isIntact(name, entry)) return false;
		}
		this.total = own.length + last.shadowed.length;
		for (const status of last.shadowed) this.report({ ...status, ok: true, action: 'shadowed' });
		for (const [name, { id }] of own) this.report({ id, name, ok: true, action: 'unchanged' });
		return true;
	}

	private async renew(): Promise<void> {
		const { manifest, selection } = this;
		const { skills, stamp, others } = await selectSkills(this.library, this.options);
		const gone = this.findGone(skills);
		this.total = others.length + skills.length + gone.length;
		for (const status of others) this.report(status);
		const changed = await this.findChanged(skills);
		this.isDirty ||= manifest.syncs.delete(this.key) || changed.length + gone.length > 0;
		const claimed = changed.filter((skill) => this.claim(skill));
		if (claimed.length > 0) this.save();
		for (const skill of claimed) {
			this.lock.assertHeld();
			await this.write(skill);
		}
		for (const name of gone) this.remove(name);
		if (!this.statuses.every(({ ok }) => ok)) return;
		const shadowed = others.map(({ id, name, reason = '' }) => ({ id, name, reason }));
		manifest.syncs.set(this.key, { stamp, selection, shadowed });
		this.isDirty = true;
	}

	/** Gives back what this sync wrote and that is no longer wanted under its name. */
	private findGone(skills: LibrarySkill[]): string[] {
		const wanted = new Set(skills.map(({ name }) => name));
		return [...this.manifest.skills]
			.filter(([name, { by }]) => by.includes(this.key) && !wanted.has(name))
			.map(([name]) => name);
	}

	private async findChanged(skills: LibrarySkill[]): Promise<LibrarySkill[]> {
		const changed: LibrarySkill[] = [];
		for (const [index, skill] of skills.entries()) {
			if (index % SKILLS_BETWEEN_PAUSES === SKILLS_BETWEEN_PAUSES - 1) await setImmediate();
			const { id, name, contentHash } = skill;
			const entry = this.manifest.skills.get(name);
			const isSame = entry?.id === id && entry.hash === contentHash && !this.options.clean;
			if (!isSame || !this.folder.isIntact(name, entry)) changed.push(skill);
			else {
				if (!entry.by.includes(this.key)) this.isDirty = entry.by.push(this.key) > 0;
				this.report({ id, name, ok: true, action: 'unchanged' });
			}
		}
		return changed;
	}

	private claim(skill: LibrarySkill): boolean {
		try {
			const refusal = claim(this.manifest, this.folder, this.key, skill);
			if (refusal !== null) this.fail(skill, refusal);
			return refusal === null;
		} catch (error) {
			this.fail(skill, messageOf(error));
			return false;
		}
	}

	private async write(skill: LibrarySkill): Promise<void> {
		const { manifest, folder } = this;
		const { id, name } = skill;
		try {
			const whole = await this.library.get({ id });
			const entry = manifest.skills.get(name) as SyncedSkill;
			const data = entry.next;
			const files = await folder.write(name, data, filesOfSkill(whole));
			const standing = ownStanding(manifest, folder, name);
			if (standing.is === 'foreign')
				throw new Error('Somebody made a folder of that name just now.');
			this.discard(folder.swapIn(name, data, standing));
			const { contentHash: hash, updatedAt } = whole;
			manifest.skills.set(name, { ...entry, data, next: '', files, hash, updatedAt });
			this.report({ id, name, ok: true, action: 'written' });
		} catch (error) {
			if (!isNotFound(error)) {
				const hint = error instanceof LibraryError && error.hint ? ` ${error.hint}` : '';
				this.fail(skill, messageOf(error) + hint);
				return;
			}
			this.report(notFound(id, name));
			this.remove(name);
		}
	}

	private remove(name: string): void {
		const { manifest, folder } = this;
		const entry = manifest.skills.get(name) as SyncedSkill;
		const status: SyncStatus = { id: entry.id, name, ok: true, action: 'removed' };
		try {
			const standing = ownStanding(manifest, folder, name);
			if (release(manifest, this.key, name)) {
				this.report({ ...status, reason: 'Another sync still keeps it in the folder.' });
				return;
			}
			if (standing.is === 'free') return;
			if (standing.is === 'foreign') {
				this.fail(status, 'Somebody put something else in its place; that was left alone.');
				return;
			}
			this.discard(folder.takeAway(name, standing));
			this.report(status);
		} catch (error) {
			manifest.skills.set(name, entry);
			this.fail(status, messageOf(error));
		}
	}

	private discard(names: string[]): void {
		for (const name of names) this.manifest.trash.push([name, Date.now()]);
	}

	private fail({ id, name }: { id: string; name: string }, reason: string): void {
		this.report({ id, name, ok: false, action: 'failed', reason });
	}

	private report(status: SyncStatus): void {
		this.statuses.push(status);
		this.options.onProgress?.(this.statuses.length, this.total, status);
	}
}

function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
