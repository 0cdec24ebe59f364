import { openData } from './data';
import { openFilesystem } from './filesystem';
import type { OpenSource } from './types';

export type { OpenedSource, SourceOptions } from './types';

/** The backends by the value of the parameter "Skills From"; a new one is one line here. */
export const SOURCES: Record<string, OpenSource> = {
	filesystem: openFilesystem,
	data: openData,
};
