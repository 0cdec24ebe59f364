import type { Diagnostic } from '../../core/errors';
import type { SkillBackend, SourceSpec } from '../../core/types';
import type { NodeContext } from '../context';

/** The Options of Skills Source, of all backends. */
export interface SourceOptions {
	include?: string;
	exclude?: string;
	onSourceError?: 'warn' | 'fail';
	label?: string;
	root?: string;
	environmentFolders?: boolean;
	/** Seconds for which a remote place is not asked again. */
	refreshSeconds?: number;
}

/** A backend, ready to be scanned, and what was wrong before that. */
export interface OpenedSource {
	backend: SkillBackend;
	sources: SourceSpec[];
	diagnostics?: Diagnostic[];
}

/** Reads the parameters of one backend and opens it; it throws a `SkillError` for a wrong one. */
export type OpenSource = (
	context: NodeContext,
	itemIndex: number,
	options: SourceOptions,
) => Promise<OpenedSource>;
