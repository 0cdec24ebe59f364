import { discoverSkills } from './discover';
import { diagnostic, messageOf, SkillError, type Diagnostic } from './errors';
import { MAX_CACHED_SOURCES, MAX_SKILL_FILE_BYTES } from './limits';
import { LruMap } from './lru';
import { parentOf } from './path';
import { parseSkill } from './skill';
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
}

/** A parsed SKILL.md and the version of the file it was parsed from. */
interface CachedSkill {
	version: string | undefined;
	skill: SkillMetadata | null;
	diagnostics: Diagnostic[];
}

interface SourceCache {
	parsed: Map<string, CachedSkill>;
	lastGood?: { scan: SourceScan; at: number };
	underway?: Promise<SourceScan>;
}

const caches = new LruMap<string, SourceCache>(MAX_CACHED_SOURCES);

/** Forgets every parsed skill of the process. */
export function clearRegistryCache(): void {
	caches.clear();
}

/**
 * Gives back the skills of a source. Files whose version did not change are not read again; two
 * calls at the same time share one scan. It never throws: what is wrong is a diagnostic.
 */
export async function scanSource(backend: SkillBackend, source: SourceSpec): Promise<SourceScan> {
	const key = JSON.stringify([backend.id, source.path, source.label]);
	const cache = caches.getOrCreate(key, () => ({ parsed: new Map() }));
	cache.underway ??= scan(backend, source, cache).finally(() => {
		cache.underway = undefined;
	});
	return await cache.underway;
}

async function scan(
	backend: SkillBackend,
	source: SourceSpec,
	cache: SourceCache,
): Promise<SourceScan> {
	try {
		const { found, files, diagnostics } = await discoverSkills(backend, source.path);
		if (!found) return missing(backend, source, cache);
		await readChanged(backend, source, files, cache);
		const parsed = files.map((file) => cache.parsed.get(file.path) as CachedSkill);
		const result: SourceScan = {
			status: files.length === 0 ? 'empty' : 'ok',
			skills: parsed.flatMap(({ skill }) => skill ?? []),
			diagnostics: [...diagnostics, ...parsed.flatMap((one) => one.diagnostics)],
		};
		cache.lastGood = { scan: result, at: Date.now() };
		return result;
	} catch (error) {
		return failed(backend, source, cache, error);
	}
}

async function readChanged(
	backend: SkillBackend,
	source: SourceSpec,
	files: BackendEntry[],
	cache: SourceCache,
): Promise<void> {
	const present = new Set(files.map((file) => file.path));
	for (const path of cache.parsed.keys()) if (!present.has(path)) cache.parsed.delete(path);
	const changed = files.filter(({ path, version }) => {
		const known = cache.parsed.get(path);
		return known === undefined || version === undefined || known.version !== version;
	});
	for (const file of changed.filter(({ frontmatter }) => frontmatter)) {
		cache.parsed.set(file.path, { version: file.version, ...fromIndex(backend, source, file) });
	}
	const toRead = changed.filter(({ frontmatter }) => !frontmatter);
	if (toRead.length === 0) return;
	const results = await backend.read(
		toRead.map((file) => file.path),
		MAX_SKILL_FILE_BYTES,
	);
	results.forEach((result, index) => {
		// What could not be read is tried again next time, changed or not.
		const version = 'error' in result ? undefined : toRead[index].version;
		cache.parsed.set(toRead[index].path, { version, ...toSkill(backend, source, result) });
	});
}

function fromIndex(
	backend: SkillBackend,
	source: SourceSpec,
	{ path, version = '', frontmatter = {} }: BackendEntry,
): Omit<CachedSkill, 'version'> {
	const { fields, diagnostics } = validateSkill(new Map(Object.entries(frontmatter)), path);
	if (fields === null) return { skill: null, diagnostics };
	const directory = backend.location + parentOf(path);
	const from = { path, directory, source: source.label, contentHash: version, isIndexed: true };
	return { skill: { ...fields, ...from }, diagnostics };
}

function toSkill(
	backend: SkillBackend,
	source: SourceSpec,
	result: ReadResult,
): Omit<CachedSkill, 'version'> {
	const { path } = result;
	if ('error' in result) {
		const code = result.error === 'too_large' ? 'skill-too-large' : 'skill-unreadable';
		return { skill: null, diagnostics: [diagnostic(code, `${path}: ${result.message}`, { path })] };
	}
	const { fields, diagnostics, contentHash } = parseSkill(result.content, path);
	if (fields === null) return { skill: null, diagnostics };
	const directory = backend.location + parentOf(path);
	return { skill: { ...fields, path, directory, source: source.label, contentHash }, diagnostics };
}

function missing(backend: SkillBackend, source: SourceSpec, cache: SourceCache): SourceScan {
	cache.lastGood = undefined;
	const place = backend.location + source.path;
	const message = `The folder ${place} does not exist. Create it, or correct the source's path.`;
	return {
		status: 'missing',
		skills: [],
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
	// A copy of what may no longer be read must not be served, not even later.
	if (code === 'source-blocked') cache.lastGood = undefined;
	if (cache.lastGood === undefined) {
		return { status: 'failed', skills: [], diagnostics: [finding] };
	}
	const seconds = Math.round((Date.now() - cache.lastGood.at) / 1000);
	const stale = `${message} The last good copy, ${seconds} seconds old, is used.`;
	return {
		...cache.lastGood.scan,
		status: 'stale',
		diagnostics: [diagnostic('source-stale', stale, { path: source.path })],
	};
}
