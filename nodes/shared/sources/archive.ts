import { createArchiveBackend, createRemoteArchiveBackend } from '../../core/backends';
import { parseUrl } from '../../core/http';
import { DEFAULT_REFRESH_SECONDS } from '../../core/limits';
import { baseName, labelOf, safeRelativePath } from '../../core/path';
import { binaryFiles, type BinaryFile } from '../binary';
import { httpAccess } from '../http';
import type { OpenedSource, OpenSource } from './types';

/** Opens archives of skills: binary data of an item, or a file on a server. */
export const openArchive: OpenSource = async (context, itemIndex, options) => {
	const from = context.getNodeParameter('archiveFrom', itemIndex, 'binary');
	const open = from === 'url' ? openUrl : openBinary;
	return await open(context, itemIndex, options);
};

const openUrl: OpenSource = async (context, itemIndex, options) => {
	const url = String(context.getNodeParameter('archiveUrl', itemIndex, '') ?? '');
	const { hostname, pathname } = parseUrl(url);
	const { refreshSeconds = DEFAULT_REFRESH_SECONDS, label } = options;
	const backend = createRemoteArchiveBackend({
		url,
		refreshMs: refreshSeconds * 1000,
		...(await httpAccess(context, itemIndex, url)),
	});
	return { backend, sources: [{ path: '/', label: labelFor(pathname, hostname, label) }] };
};

const openBinary: OpenSource = async (context, itemIndex, options) => {
	const parameter: unknown = context.getNodeParameter('archiveField', itemIndex, 'data');
	return archivesOf(await binaryFiles(context, itemIndex, parameter), options.label);
};

/** Gives back a backend over archives, each of them a source. */
export function archivesOf(files: BinaryFile[], ownLabel?: string): OpenedSource {
	const taken = new Set<string>();
	const archives = files.map((file) => ({ ...file, folder: folderFor(file.name, taken) }));
	// One label cannot name several archives, so then each goes by its own name.
	const label = files.length === 1 ? ownLabel : undefined;
	const sources = archives.map(({ folder, name }) => ({
		path: folder,
		label: labelFor(name, 'archive', label),
	}));
	return { backend: createArchiveBackend(archives), sources };
}

function labelFor(path: string, otherwise: string, label: string | undefined): string {
	const name = baseName(path).replace(/\.(?:skill|zip|tgz|tar\.gz)$/i, '');
	return labelOf(`/${name || otherwise}`, label);
}

/** Gives back a folder for an archive that no other one has. */
function folderFor(name: string, taken: Set<string>): string {
	const safe =
		safeRelativePath(name.replace(/[\\/:\0-\x1f\x7f]+/g, '-').slice(0, 100)) ?? 'archive';
	let folder = `/${safe}`;
	for (let number = 2; taken.has(folder); number++) folder = `/${safe}-${number}`;
	taken.add(folder);
	return folder;
}
