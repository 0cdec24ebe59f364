import { diagnostic } from '../../core/errors';
import { MAX_SOURCES } from '../../core/limits';
import type { SourceSpec } from '../../core/types';
import type { OpenedSource } from './types';

/** Gives back as many folders as a node may have, and says so when there are more. */
export function limitSources(
	all: SourceSpec[],
): Required<Pick<OpenedSource, 'sources' | 'diagnostics'>> {
	const sources = all.slice(0, MAX_SOURCES);
	if (all.length <= MAX_SOURCES) return { sources, diagnostics: [] };
	const message = `There are ${all.length} folders; only the first ${MAX_SOURCES} are looked at.`;
	return { sources, diagnostics: [diagnostic('source-too-large', message)] };
}
