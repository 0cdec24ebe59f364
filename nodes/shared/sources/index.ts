import { openArchive } from './archive';
import { openData } from './data';
import { openFilesystem } from './filesystem';
import { openGithub } from './github';
import { openLibrarySource } from './library';
import { openMcp } from './mcp';
import { openWebsite } from './website';
import type { OpenSource } from './types';

export type { OpenedSource, SourceOptions } from './types';

/** The backends by the value of the parameter "Skills From"; a new one is one line here. */
export const SOURCES: Record<string, OpenSource> = {
	archive: openArchive,
	filesystem: openFilesystem,
	github: openGithub,
	library: openLibrarySource,
	mcp: openMcp,
	website: openWebsite,
	data: openData,
};
