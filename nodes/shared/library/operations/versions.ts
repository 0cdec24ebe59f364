import { compareSkills } from '../../../core/library/compare';
import { LibraryError } from '../../../core/library/types';
import { toItem } from '../items';
import { skillRef } from '../parameters';
import type { LibraryCall, LibraryOperation } from '../types';

/** Gives back the versions that are kept of a skill. */
export const getVersions: LibraryOperation = async ({ context, itemIndex, library }) =>
	(await library.versions(skillRef(context, itemIndex))).map(toItem);

/** Makes an earlier version the newest one. */
export const restoreVersion: LibraryOperation = async (call) => {
	const { context, itemIndex, library } = call;
	const version = versionOf(call, 'version', 1);
	return [toItem(await library.restore(skillRef(context, itemIndex), version))];
};

/** Gives back what differs between two versions. */
export const compareVersions: LibraryOperation = async (call) => {
	const { context, itemIndex, library } = call;
	const ref = skillRef(context, itemIndex);
	const [from, to] = [versionOf(call, 'version', 1), versionOf(call, 'otherVersion', 0)];
	const [before, after] = await Promise.all([
		library.version(ref, from),
		to === 0 ? library.get(ref) : library.version(ref, to),
	]);
	return [toItem(compareSkills(before, after))];
};

function versionOf({ context, itemIndex }: LibraryCall, name: string, least: number): number {
	const version = Number(context.getNodeParameter(name, itemIndex, least));
	if (Number.isInteger(version) && version >= least) return version;
	throw new LibraryError('invalid', `The version must be a whole number of at least ${least}.`);
}
