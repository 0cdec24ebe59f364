import { createHash, randomUUID } from 'node:crypto';

import {
	LibraryError,
	type Actor,
	type Library,
	type LibraryDatabase,
	type LibraryFile,
	type LibrarySkill,
	type NewSkill,
	type SkillChanges,
	type SkillQuery,
	type SkillRef,
	type WholeSkill,
} from '../../../nodes/core/library/types';
import { normalizeName } from '../../../nodes/core/validate';

const digest = (value: unknown) =>
	createHash('sha256')
		.update(value instanceof Uint8Array ? value : JSON.stringify(value))
		.digest('hex');
const notFound = () => new LibraryError('not-found', 'There is no such skill.');

/**
 * A library in memory, for tests on a Node.js without SQLite: whole skills, permissions of reading,
 * pages. Versions, search and changes are the database's own business.
 */
export class MemoryDatabase implements LibraryDatabase {
	readonly id = `memory:${randomUUID()}`;
	readonly skills = new Map<string, WholeSkill>();
	readonly uses: string[] = [];
	sequence = 0;
	/** How often each method was called. */
	readonly calls: Record<string, number> = {};
	/** Most skills of one page. */
	pageSize = Number.POSITIVE_INFINITY;

	as(actor: Actor): Library {
		const view = new MemoryLibrary(this, actor);
		return new Proxy(view, {
			get: (target, name: keyof Library) => {
				const method = target[name as 'get'] as unknown;
				if (typeof method !== 'function') throw new Error(`${String(name)} is not in memory`);
				return (...args: unknown[]) => {
					this.calls[name] = (this.calls[name] ?? 0) + 1;
					return method.apply(target, args) as unknown;
				};
			},
		}) as unknown as Library;
	}

	async close(): Promise<void> {}
}

class MemoryLibrary {
	constructor(
		private readonly database: MemoryDatabase,
		private readonly actor: Actor,
	) {}

	async create(skill: NewSkill): Promise<LibrarySkill> {
		const { ownerId = this.actor.user } = skill;
		if (skill.name !== skill.name.toLowerCase()) throw new LibraryError('invalid', 'bad name');
		if (!this.mayWrite({ ownerId })) throw notFound();
		if (this.of(skill.name, ownerId)) throw new LibraryError('name-taken', 'The name is taken.');
		const now = new Date().toISOString();
		const blank = { id: randomUUID(), version: 0, createdAt: now, description: '', content: '' };
		return this.save({ ...(blank as WholeSkill), files: [], ownerId }, skill);
	}

	async find(ref: SkillRef): Promise<LibrarySkill> {
		return bare(await this.get(ref));
	}

	async get(ref: SkillRef): Promise<WholeSkill> {
		const all = [...this.database.skills.values()].filter((one) => this.mayRead(one));
		const found = all.filter((one) => {
			if ('id' in ref) return one.id === ref.id;
			const isOwners = ref.ownerId === undefined || ref.ownerId === one.ownerId;
			return isOwners && normalizeName(one.name) === normalizeName(ref.name);
		});
		const rank = ({ ownerId }: LibrarySkill) =>
			ownerId === this.actor.user && ownerId !== null ? 0 : ownerId === null ? 1 : 2;
		const [best] = found.sort((a, b) => rank(a) - rank(b));
		if (!best) throw notFound();
		return structuredClone(best);
	}

	async list(query: SkillQuery = {}): Promise<{ skills: LibrarySkill[]; cursor?: string }> {
		const names = query.names?.map(normalizeName);
		const fit = [...this.database.skills.values()]
			.filter((one) => this.mayRead(one))
			.filter(({ tags }) => (query.tags ?? []).every((tag) => tags.includes(tag)))
			.filter(({ name }) => names?.includes(normalizeName(name)) ?? true)
			.sort((a, b) => (a.name + a.id < b.name + b.id ? -1 : 1));
		const start = Number(query.cursor ?? 0);
		const end = start + Math.min(query.limit ?? Infinity, this.database.pageSize);
		const cursor = end < fit.length ? { cursor: String(end) } : {};
		return { skills: fit.slice(start, end).map(bare), ...cursor };
	}

	async update(ref: SkillRef, changes: SkillChanges, ifVersion?: number): Promise<LibrarySkill> {
		const known = await this.get(ref);
		if (!this.mayWrite(known)) throw notFound();
		if (ifVersion !== undefined && known.version !== ifVersion) {
			throw new LibraryError('version-conflict', 'It has changed.');
		}
		return this.save(known, changes);
	}

	async remove(ref: SkillRef): Promise<LibrarySkill> {
		const known = await this.get(ref);
		if (!this.mayWrite(known)) throw notFound();
		this.database.skills.delete(known.id);
		this.database.sequence++;
		return bare(known);
	}

	async files(ref: SkillRef): Promise<LibraryFile[]> {
		return (await this.get(ref)).files;
	}

	async file(ref: SkillRef, path: string): Promise<LibraryFile> {
		const found = (await this.files(ref)).find((file) => file.path === path);
		if (!found) throw notFound();
		return found;
	}

	async recordUse(ids: string[]): Promise<void> {
		this.database.uses.push(...ids.map((id) => `${this.actor.user} ${id}`));
	}

	async stamp(): Promise<number> {
		return this.database.sequence;
	}

	private save(known: WholeSkill, changes: SkillChanges): LibrarySkill {
		const defaults = { tags: [], extras: {}, isPublic: false } as object;
		const fields = { ...defaults, ...known, ...changes } as WholeSkill;
		const files = changes.files?.map(toFile) ?? known.files;
		const { name, description, content, tags, extras } = fields;
		const contentHash = digest([name, description, content, tags, extras, files.map(key).sort()]);
		const isPublic = fields.isPublic || fields.ownerId === null;
		if (contentHash === known.contentHash && isPublic === known.isPublic) return bare(known);
		const updatedAt = new Date().toISOString();
		const version = known.version + 1;
		const saved = { ...fields, files, isPublic, contentHash, version, updatedAt };
		this.database.skills.set(saved.id, structuredClone(saved));
		this.database.sequence++;
		return bare(saved);
	}

	private of(name: string, ownerId: string | null): WholeSkill | undefined {
		return [...this.database.skills.values()].find(
			(one) => one.ownerId === ownerId && normalizeName(one.name) === normalizeName(name),
		);
	}

	private mayRead({ isPublic, ownerId }: LibrarySkill): boolean {
		const { user, isAdministrator } = this.actor;
		return isAdministrator || isPublic || (user !== null && ownerId === user);
	}

	private mayWrite({ ownerId }: Pick<LibrarySkill, 'ownerId'>): boolean {
		const { user, isAdministrator } = this.actor;
		return isAdministrator || (user !== null && ownerId === user);
	}
}

const key = ({ path, hash }: LibraryFile) => `${path} ${hash}`;

function toFile({ path, content }: { path: string; content: Uint8Array }): LibraryFile {
	const hash = digest(content);
	return { id: randomUUID(), path, size: content.byteLength, hash, isBinary: false, content };
}

function bare(whole: WholeSkill): LibrarySkill {
	const skill: Partial<WholeSkill> = { ...whole };
	delete skill.content;
	delete skill.files;
	return skill as LibrarySkill;
}
