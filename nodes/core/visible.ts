import { isOutage, type Diagnostic } from './errors';
import type { LoadedStore } from './loaded';
import { baseName, parentOf } from './path';
import type { LoadedSkill } from './schema';
import { SKILL_FILE } from './skill';
import { findSkill } from './skillset';
import type { SkillMetadata, SkillSnapshot, SourceReport } from './types';
import { normalizeName } from './validate';

/**
 * Gives back the skills that the model may see: the offered ones, and those that a pin or a person
 * loaded.
 */
export function visibleSkills(snapshot: SkillSnapshot, loaded: string[]): SkillMetadata[] {
	const offered = offeredSkills(snapshot);
	if (offered === snapshot.skills) return offered;
	const isLoaded = skillsNamed(snapshot, loaded);
	return snapshot.skills.filter((skill) => skill.modelInvocable || isLoaded.has(skill));
}

const knownOffers = new WeakMap<SkillSnapshot, SkillMetadata[]>();

/** Gives back the skills that the model is offered; where that is all, the very same array. */
function offeredSkills(snapshot: SkillSnapshot): SkillMetadata[] {
	const known = knownOffers.get(snapshot);
	if (known) return known;
	const some = snapshot.skills.filter((skill) => skill.modelInvocable);
	const offered = some.length === snapshot.skills.length ? snapshot.skills : some;
	knownOffers.set(snapshot, offered);
	return offered;
}

/** Gives back the skills that some names mean. */
export function skillsNamed(
	{ skills }: SkillSnapshot,
	names: string[],
): Set<SkillMetadata | undefined> {
	return new Set(names.map((name) => findSkill(skills, name)));
}

/** Gives back why the SKILL.md in the folder of that name cannot be used, if there is one. */
export function brokenSkill({ diagnostics }: SkillSnapshot, name: string): Diagnostic | undefined {
	const wanted = normalizeName(name);
	return diagnostics.find(
		({ severity, path = '' }) =>
			severity === 'error' &&
			baseName(path) === SKILL_FILE &&
			normalizeName(baseName(parentOf(path))) === wanted,
	);
}

/** Gives back the loaded skills without those that were deleted, which it forgets. */
export async function dropDeleted(
	{ store, otherOrigins = [] }: { store: LoadedStore; otherOrigins?: string[] },
	snapshot: SkillSnapshot,
): Promise<LoadedSkill[]> {
	const loaded = await store.read();
	// While a source is down, or its share not mounted, its skills are out of reach, not deleted.
	const isDown = ({ status }: SourceReport) => status === 'failed' || status === 'missing';
	if (snapshot.sources.some(isDown) || snapshot.diagnostics.some(isOutage)) return loaded;
	// A file that someone is just editing may be broken for a moment; that is not deleted either.
	const isThere = ({ name }: LoadedSkill) =>
		findSkill(snapshot.skills, name)?.name === name || brokenSkill(snapshot, name);
	// Two loaders may share a state and have each a source of its own.
	const isOthers = ({ source = '' }: LoadedSkill) => otherOrigins.includes(source);
	const gone = loaded.filter((one) => !isThere(one) && !isOthers(one));
	for (const { name } of gone) await store.forget(name);
	return loaded.filter((one) => !gone.includes(one));
}
