import { diagnostic, type Diagnostic } from './errors';
import { listSkillFiles } from './files';
import { MAX_SKILL_FILE_BYTES } from './limits';
import { baseName, joinPath, parentOf } from './path';
import { scanSource } from './registry';
import { discoverResources } from './resources';
import { splitSkill } from './frontmatter';
import { decodeUtf8, hashOf, SKILL_FILE } from './skill';
import type {
	ReadResult,
	SkillBackend,
	SkillDocument,
	SkillMetadata,
	SkillSet,
	SkillSnapshot,
	SourceReport,
	SourceSpec,
} from './types';
import { normalizeName } from './validate';

/** One Skills Source: a backend, its sources in order, and what lies underneath. */
export interface SkillSetOptions {
	backend: SkillBackend;
	sources: SourceSpec[];
	/** Findings from before any source was read, such as data that could not be used. */
	diagnostics?: Diagnostic[];
	isVisible?: (name: string) => boolean;
	base?: SkillSet;
	key?: string;
	origin?: string;
	/** Remembers the last refresh for a moment: n8n asks several times for each tool call. */
	memory?: RefreshMemory;
}

/** A snapshot, and which skills of it are read from the own backend. */
export interface Refreshed {
	snapshot: SkillSnapshot;
	owned: Array<WeakSet<SkillMetadata>>;
	/** The stamp of all layers, from before they were looked at. */
	stamp?: string;
}

/** Where a refresh is remembered. */
export interface RefreshMemory {
	recall(): Refreshed | undefined;
	keep(refreshed: Refreshed): void;
}

/** Gives back the skills of all layers: a later source overrides an earlier one, own over base. */
export function createSkillSet(options: SkillSetOptions): SkillSet {
	const { backend, base } = options;
	const owned = new Set<WeakSet<SkillMetadata>>();
	const isOwn = (skill: SkillMetadata) => [...owned].some((skills) => skills.has(skill));

	return {
		key: options.key,
		origin: options.origin,

		async stamp() {
			const stamp = await stampOf(options);
			if (stamp === null) throw new Error('a place does not answer');
			return stamp;
		},
		async refresh(anew = false) {
			const remembered = anew ? undefined : options.memory?.recall();
			const stamp = options.memory ? await stampOf(options) : null;
			// A place that can tell that it changed is believed at once, not a moment later.
			const known = stamp === null || remembered?.stamp === stamp ? remembered : undefined;
			const refreshed = known ?? (await refreshAll(options, anew));
			if (stamp !== null) refreshed.stamp = stamp;
			if (!known) options.memory?.keep(refreshed);
			for (const skills of refreshed.owned) owned.add(skills);
			return refreshed.snapshot;
		},
		async load(skill) {
			if (!isOwn(skill) && base) return await base.load(skill);
			const [result] = await backend.read([skill.path], MAX_SKILL_FILE_BYTES);
			return toDocument(skill, backend.location, result);
		},
		async resources(skill) {
			if (!isOwn(skill) && base) return await base.resources(skill);
			return await discoverResources(backend, skill.path);
		},
		async files(skill) {
			if (!isOwn(skill) && base?.files) return await base.files(skill);
			return await listSkillFiles(backend, skill.path);
		},
		async readFiles(skill, paths, maxBytes) {
			if (!isOwn(skill) && base) return await base.readFiles(skill, paths, maxBytes);
			const dir = parentOf(skill.path);
			return await backend.read(
				paths.map((path) => joinPath(dir, path)),
				maxBytes,
			);
		},
		used(skill) {
			if (!isOwn(skill) && base) base.used?.(skill);
			else backend.used?.(skill.path);
		},
	};
}

/** Gives back the stamps of all layers, undefined where none has one; null: they cannot be had. */
async function stampOf({ backend, base }: SkillSetOptions): Promise<string | undefined | null> {
	if (!backend.stamp && !base?.stamp) return undefined;
	try {
		const [own, below] = await Promise.all([backend.stamp?.(), base?.stamp?.()]);
		return own === undefined && below === undefined ? undefined : JSON.stringify([own, below]);
	} catch {
		return null;
	}
}

type Scan = Awaited<ReturnType<typeof scanSource>>;

async function refreshAll(options: SkillSetOptions, anew: boolean): Promise<Refreshed> {
	const { backend, base, sources } = options;
	const scans = await Promise.all(sources.map((source) => scanSource(backend, source)));
	const below = base ? await base.refresh(anew) : undefined;
	return { snapshot: mergeOnce(options, scans, below), owned: scans.map((scan) => scan.owned) };
}

/** What a snapshot was made of; while that is the same, so is the snapshot. */
interface Made {
	scans: Scan[];
	base?: SkillSnapshot;
	isVisible: SkillSetOptions['isVisible'];
	revision?: string;
	snapshot: SkillSnapshot;
}

const made = new WeakMap<Scan, Made>();

function mergeOnce(options: SkillSetOptions, scans: Scan[], base?: SkillSnapshot): SkillSnapshot {
	const key = scans.at(-1);
	const { isVisible, diagnostics = [] } = options;
	if (key === undefined || diagnostics.length > 0) return merge(options, scans, base);
	const last = made.get(key) ?? (key.since && made.get(key.since.scan));
	// A commit may change no skill and is shown all the same.
	const revision = options.backend.revision?.();
	const fits =
		last?.base === base &&
		last?.revision === revision &&
		last?.isVisible === isVisible &&
		last?.scans.length === scans.length;
	const isSame = fits && scans.every((scan, index) => scan === last?.scans[index]);
	if (isSame && last) return last.snapshot;
	const isNear = fits && scans.every((scan, at) => isNext(scan, last?.scans[at]));
	const snapshot = isNear && last ? exchange(last, scans) : merge(options, scans, base);
	made.set(key, { scans, base, isVisible, revision, snapshot });
	return snapshot;
}

function isNext(scan: Scan, before: Scan | undefined): boolean {
	return scan === before || scan.since?.scan === before;
}

/** Gives back a snapshot with newer skills in the place of others of the same names; all else stays. */
function exchange({ snapshot, scans: before }: Made, scans: Scan[]): SkillSnapshot {
	const skills = [...snapshot.skills];
	const sources = [...snapshot.sources];
	scans.forEach((scan, index) => {
		if (scan === before[index]) return;
		for (const [from, to] of scan.since?.replaced ?? []) {
			const at = skills.indexOf(from);
			// One that is hidden, or overridden, is in no snapshot.
			if (at !== -1) skills[at] = to;
		}
		const at = sources.length - scans.length + index;
		sources[at] = { ...sources[at] };
		skillsOfReport.set(sources[at], scan.skills);
	});
	return { ...snapshot, skills, sources };
}

function merge(options: SkillSetOptions, scans: Scan[], base?: SkillSnapshot): SkillSnapshot {
	const diagnostics = [...(base?.diagnostics ?? []), ...(options.diagnostics ?? [])];
	const byName = new Map((base?.skills ?? []).map((skill) => [skill.name, skill]));
	for (const scan of scans) {
		diagnostics.push(...scan.diagnostics);
		for (const skill of scan.skills) {
			const other = byName.get(skill.name);
			if (other) diagnostics.push(overridden(skill, other, scan.skills.includes(other)));
			byName.set(skill.name, skill);
		}
	}
	const { isVisible = () => true } = options;
	const skills = [...byName.values()]
		.filter((skill) => isVisible(skill.name))
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	const shown = [...aboutVisible(diagnostics, scans, isVisible), ...ambiguous(skills)];
	return { skills, diagnostics: shown, sources: reports(options, scans, skills, base) };
}

/** Gives back the findings without those about hidden skills. */
function aboutVisible(
	diagnostics: Diagnostic[],
	scans: Scan[],
	isVisible: (name: string) => boolean,
): Diagnostic[] {
	if (diagnostics.length === 0) return diagnostics;
	const names = new Map(scans.flatMap((scan) => scan.skills.map(({ path, name }) => [path, name])));
	return diagnostics.filter(({ path = '' }) => {
		// One that cannot be read goes by its folder's name.
		const name =
			names.get(path) ?? (baseName(path) === SKILL_FILE ? baseName(parentOf(path)) : null);
		return name === null || isVisible(name);
	});
}

function overridden(winner: SkillMetadata, loser: SkillMetadata, sameSource: boolean): Diagnostic {
	const message = `The skill "${winner.name}" is used from ${winner.directory} (${winner.source}); the one in ${loser.directory} (${loser.source}) is hidden by it.`;
	return diagnostic(sameSource ? 'skill-duplicate' : 'skill-shadowed', message, {
		path: loser.path,
	});
}

function ambiguous(skills: SkillMetadata[]): Diagnostic[] {
	const seen = new Map<string, SkillMetadata>();
	const found: Diagnostic[] = [];
	for (const skill of skills) {
		const key = normalizeName(skill.name);
		const other = seen.get(key);
		seen.set(key, skill);
		if (!other) continue;
		const message = `The names "${other.name}" (${other.directory}) and "${skill.name}" (${skill.directory}) differ only in spelling. Rename one.`;
		found.push(diagnostic('name-ambiguous', message, { path: skill.path }));
	}
	return found;
}

// Labels need not differ, so the layer above counts by the skills themselves.
const skillsOfReport = new WeakMap<SourceReport, SkillMetadata[]>();

function reports(
	{ backend, sources }: SkillSetOptions,
	scans: Scan[],
	skills: SkillMetadata[],
	base?: SkillSnapshot,
): SourceReport[] {
	const offered = new Set(skills);
	const report = (all: SkillMetadata[], rest: Omit<SourceReport, 'skills' | 'found'>) => {
		const amount = all.filter((skill) => offered.has(skill)).length;
		const made = { ...rest, skills: amount, found: all.length };
		skillsOfReport.set(made, all);
		return made;
	};
	const below = (base?.sources ?? []).map((one) => report(skillsOfReport.get(one) ?? [], one));
	const own = sources.map(({ label, path }, index) => {
		const { skills: all, status } = scans[index];
		const revision = backend.revision?.();
		const at = revision === undefined ? {} : { revision };
		return report(all, { label, location: backend.location + path, status, ...at });
	});
	return [...below, ...own];
}

function toDocument(
	skill: SkillMetadata,
	location: string,
	result: ReadResult,
): SkillDocument | { problem: string } {
	const place = location + skill.path;
	if ('error' in result) {
		if (result.error === 'too_large') {
			const limit = MAX_SKILL_FILE_BYTES.toLocaleString('en-US');
			return { problem: `Skill file at ${place} exceeds maximum size (${limit} bytes)` };
		}
		return { problem: `Failed to read skill file at ${place}: ${result.message}` };
	}
	const decoded = decodeUtf8(result.content);
	if ('badByte' in decoded) {
		return {
			problem: `Failed to decode skill file at ${place}: byte ${decoded.badByte + 1} is not UTF-8`,
		};
	}
	const known = skill.isIndexed ? (result.version ?? skill.contentHash) : undefined;
	const contentHash = known ?? hashOf(result.content);
	return { body: splitSkill(decoded.text).body, contentHash };
}

// Skills come in the same array while nothing changed; each tool call looks several up.
const indexes = new WeakMap<SkillMetadata[], Map<string, SkillMetadata>>();

function indexOf(skills: SkillMetadata[]): Map<string, SkillMetadata> {
	const known = indexes.get(skills);
	if (known) return known;
	const index = new Map(skills.map((skill) => [skill.name, skill]));
	indexes.set(skills, index);
	return index;
}

/** Gives back the skill a name means: the exact one, else the only one spelled nearly so. */
export function findSkill(skills: SkillMetadata[], name: string): SkillMetadata | undefined {
	const exact = indexOf(skills).get(name);
	if (exact) return exact;
	const wanted = normalizeName(name);
	const near = skills.filter((skill) => normalizeName(skill.name) === wanted);
	return near.length === 1 ? near[0] : undefined;
}
