import { discoverSkills } from './discover';
import { diagnostic, messageOf, SkillError, type Diagnostic, type DiagnosticCode } from './errors';
import {
	FILES_PER_READ,
	MAX_CACHED_SKILLS,
	MAX_CACHED_SOURCES,
	MAX_REPLACED_SKILLS,
	MAX_SKILL_FILE_BYTES,
} from './limits';
import { LruMap } from './lru';
import { parentOf } from './path';
import { answeredAt } from './remote';
import { hashOf, parseSkill, parseSkillHead, type ParsedSkill } from './skill';
import { validateSkill } from './validate';
import type {
	BackendEntry,
	ReadResult,
	SkillBackend,
	SkillMetadata,
	SourceReport,
	SourceSpec,
} from './types';

/** The skills of one source at one moment. */
export interface SourceScan {
	status: SourceReport['status'];
	skills: SkillMetadata[];
	diagnostics: Diagnostic[];
	/** Every skill that this source ever gave; one call may still hold what another replaced. */
	owned: WeakSet<SkillMetadata>;
	/** The scan before, when all that changed is that skills came in the place of others. */
	since?: { scan: SourceScan; replaced: Replaced };
}

/** Skills, and what they were replaced by: read from the same file, under the same name. */
type Replaced = Map<SkillMetadata, SkillMetadata>;

/** A parsed SKILL.md and the version of the file it was parsed from. */
interface CachedSkill {
	version: string | undefined;
	skill: SkillMetadata | null;
	diagnostics: Diagnostic[];
}

interface SourceCache {
	parsed: Map<string, CachedSkill>;
	/** The files that `parsed` was made of, unless one of them is to be tried again. */
	files?: BackendEntry[];
	/** A scan failed half-way, so `parsed` may know more than the last good scan. */
	isAhead?: boolean;
	owned: WeakSet<SkillMetadata>;
	/** The last scan, when it was confirmed, at which stamp, and what discovery had to say then. */
	lastGood?: { scan: SourceScan; at: number; said: string; stamp?: string };
	underway?: Promise<SourceScan>;
}

/** A copy of what is gone or may no longer be read must not be served, not even later. */
const FINAL = new Set<DiagnosticCode>(['source-blocked', 'source-denied', 'source-not-found']);

const caches = new LruMap<string, SourceCache>(MAX_CACHED_SOURCES);

/** Forgets every parsed skill of the process. */
export function clearRegistryCache(): void {
	caches.clear();
}

/**
 * Gives back the skills of a source. Files whose version did not change are not read again; when
 * none did, it is the very same object as before. Two calls at the same time share one scan. It
 * never throws: what is wrong is a diagnostic.
 */
export async function scanSource(backend: SkillBackend, source: SourceSpec): Promise<SourceScan> {
	const key = JSON.stringify([backend.id, source.path, source.label]);
	const cache = caches.getOrCreate(key, () => ({ parsed: new Map(), owned: new WeakSet() }));
	cache.underway ??= scan(backend, source, cache).finally(() => {
		cache.underway = undefined;
		caches.trim(MAX_CACHED_SKILLS, ({ parsed }) => parsed.size);
	});
	return await cache.underway;
}

async function scan(
	backend: SkillBackend,
	source: SourceSpec,
	cache: SourceCache,
): Promise<SourceScan> {
	try {
		const stamp = await backend.stamp?.();
		if (stamp !== undefined && cache.lastGood?.stamp === stamp) {
			cache.lastGood.at = Date.now();
			return cache.lastGood.scan;
		}
		const heads = new Map<BackendEntry, CachedSkill>();
		const { found, files, diagnostics } = await discoverSkills(
			backend,
			source.path,
			(entry, head) => {
				const parsed = parseSkillHead(head, entry.path);
				if (parsed) heads.set(entry, toCached(backend, source, entry, parsed));
			},
		);
		if (!found) return missing(backend, source, cache);
		const changed = await readChanged(backend, source, files, cache, heads);
		const said = JSON.stringify(diagnostics);
		const before =
			cache.lastGood?.said === said && !cache.isAhead ? cache.lastGood.scan : undefined;
		const result = (before && follow(before, changed)) ?? toScan(files, diagnostics, cache);
		cache.isAhead = false;
		// A scan of what is remembered is as old as the answer it is made of.
		const at = answeredAt(backend.id) ?? Date.now();
		cache.lastGood = { scan: result, at, said, stamp };
		return result;
	} catch (error) {
		cache.isAhead = true;
		return failed(backend, source, cache, error);
	}
}

/** Gives back the scan that follows another one; nothing where it must be made anew. */
function follow(before: SourceScan, changed: Changed): SourceScan | undefined {
	if (changed === 'nothing') return before;
	if (changed === 'much') return undefined;
	const skills = [...before.skills];
	for (const [from, to] of changed) {
		const at = before.skills.indexOf(from);
		if (at === -1) return undefined;
		skills[at] = to;
		before.owned.add(to);
	}
	// One step back is enough: a chain of them would keep all skills that ever were.
	before.since = undefined;
	return { ...before, skills, since: { scan: before, replaced: changed } };
}

function toScan(
	files: BackendEntry[],
	diagnostics: Diagnostic[],
	{ parsed, owned }: SourceCache,
): SourceScan {
	const skills: SkillMetadata[] = [];
	const all = [...diagnostics];
	for (const { path } of files) {
		const known = parsed.get(path) as CachedSkill;
		all.push(...known.diagnostics);
		if (known.skill === null) continue;
		skills.push(known.skill);
		owned.add(known.skill);
	}
	return { status: files.length === 0 ? 'empty' : 'ok', skills, diagnostics: all, owned };
}

/** What became of the files since the last scan. */
type Changed = 'nothing' | 'much' | Replaced;

/** Reads the files whose version changed, forgets those that are gone, and tells what is new. */
async function readChanged(
	backend: SkillBackend,
	source: SourceSpec,
	files: BackendEntry[],
	cache: SourceCache,
	heads: Map<BackendEntry, CachedSkill>,
): Promise<Changed> {
	const { parsed, files: seen = [] } = cache;
	const changed = files.filter((file, index) => {
		if (file === seen[index]) return false;
		const known = parsed.get(file.path);
		return known === undefined || file.version === undefined || known.version !== file.version;
	});
	const earlier = changed.map(({ path }) => parsed.get(path));
	// As many files as before and none of them new: then none is gone either.
	const areTheSame = parsed.size === files.length && !earlier.includes(undefined);
	if (areTheSame && changed.length === 0) return 'nothing';
	// Who was fine before need not be asked again.
	const unsure = areTheSame && cache.files ? changed : files;
	cache.files = undefined;
	if (!areTheSame) forgetOthers(parsed, files);
	const toRead = changed.filter((file) => {
		const known = heads.get(file) ?? fromIndex(backend, source, file);
		if (known) parsed.set(file.path, known);
		return !known;
	});
	// In portions, so that the bodies of a large library are not all in memory at once.
	for (let start = 0; start < toRead.length; start += FILES_PER_READ) {
		const portion = toRead.slice(start, start + FILES_PER_READ);
		const paths = portion.map((file) => file.path);
		const results = await backend.read(paths, MAX_SKILL_FILE_BYTES);
		results.forEach((result, index) => {
			parsed.set(paths[index], fromFile(backend, source, portion[index], result));
		});
	}
	// Only a backend that is peeked into gives the same entry for what did not change.
	const isSure = unsure.every(({ path }) => parsed.get(path)?.version !== undefined);
	if (backend.peek && isSure) cache.files = files;
	return areTheSame ? replacedBy(changed, earlier, parsed) : 'much';
}

/** Gives back which skills came in the place of which, if that is all that is to be said of them. */
function replacedBy(
	changed: BackendEntry[],
	earlier: Array<CachedSkill | undefined>,
	parsed: SourceCache['parsed'],
): Changed {
	if (changed.length > MAX_REPLACED_SKILLS) return 'much';
	const replaced: Replaced = new Map();
	for (const [index, { path }] of changed.entries()) {
		const [from, to] = [earlier[index], parsed.get(path)];
		if (!from?.skill || !to?.skill || from.skill.name !== to.skill.name) return 'much';
		if (from.diagnostics.length + to.diagnostics.length > 0) return 'much';
		replaced.set(from.skill, to.skill);
	}
	return replaced;
}

function forgetOthers(parsed: SourceCache['parsed'], files: BackendEntry[]): void {
	if (parsed.size === 0) return;
	const present = new Set(files.map((file) => file.path));
	for (const path of parsed.keys()) if (!present.has(path)) parsed.delete(path);
}

/** Gives back what an index says of a skill; null: none does. */
function fromIndex(
	backend: SkillBackend,
	source: SourceSpec,
	file: BackendEntry,
): CachedSkill | null {
	if (!file.frontmatter) return null;
	const values = new Map<string, unknown>();
	for (const key of Object.keys(file.frontmatter)) values.set(key, file.frontmatter[key]);
	const parsed = validateSkill(values, file.path);
	const known = { contentHash: file.version ?? '', isIndexed: true };
	return toCached(backend, source, file, parsed, known);
}

function fromFile(
	backend: SkillBackend,
	source: SourceSpec,
	file: BackendEntry,
	result: ReadResult,
): CachedSkill {
	const { path } = file;
	if ('error' in result) {
		const code = result.error === 'too_large' ? 'skill-too-large' : 'skill-unreadable';
		const problem = diagnostic(code, `${path}: ${result.message}`, { path });
		// What could not be read is tried again next time, changed or not.
		return { version: undefined, skill: null, diagnostics: [problem] };
	}
	const { content } = result;
	const known = { contentHash: hashOf(content) };
	return toCached(backend, source, file, parseSkill(content, path), known);
}

function toCached(
	{ location }: SkillBackend,
	{ label }: SourceSpec,
	{ path, version }: BackendEntry,
	{ fields, diagnostics }: ParsedSkill,
	known?: Pick<SkillMetadata, 'contentHash' | 'isIndexed'>,
): CachedSkill {
	if (fields === null) return { version, skill: null, diagnostics };
	const directory = location + parentOf(path);
	return { version, skill: { ...fields, path, directory, source: label, ...known }, diagnostics };
}

function missing(backend: SkillBackend, source: SourceSpec, cache: SourceCache): SourceScan {
	cache.lastGood = undefined;
	const place = backend.location + source.path;
	const message = `The folder ${place} does not exist. Create it, or correct the source's path.`;
	return {
		status: 'missing',
		skills: [],
		owned: cache.owned,
		diagnostics: [diagnostic('source-not-found', message, { path: source.path })],
	};
}

function failed(
	backend: SkillBackend,
	source: SourceSpec,
	cache: SourceCache,
	error: unknown,
): SourceScan {
	const code = error instanceof SkillError ? error.code : 'source-unreadable';
	const place = backend.location + source.path;
	const message = `${place}: ${messageOf(error)}${error instanceof SkillError && error.hint ? ` ${error.hint}` : ''}`;
	const finding = diagnostic(code, message, { path: source.path });
	if (FINAL.has(code)) cache.lastGood = undefined;
	if (cache.lastGood === undefined) {
		return { status: 'failed', skills: [], diagnostics: [finding], owned: cache.owned };
	}
	const seconds = Math.round((Date.now() - cache.lastGood.at) / 1000);
	const stale = `${message} The last good copy, ${seconds} seconds old, is used.`;
	return {
		...cache.lastGood.scan,
		status: 'stale',
		diagnostics: [diagnostic('source-stale', stale, { path: source.path })],
	};
}
