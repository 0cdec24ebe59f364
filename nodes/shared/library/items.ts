import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { decodeUtf8 } from '../../core/skill';
import type { LibraryFile, LibraryFileInfo, WholeSkill } from '../../core/library/types';

/** Gives back any record as an item. */
export function toItem(record: object): INodeExecutionData {
	return { json: { ...record } as IDataObject };
}

/** Gives back a whole skill as an item, with as much of its files as is wanted. */
export function wholeItem(
	skill: WholeSkill,
	include: 'none' | 'list' | 'text',
): INodeExecutionData {
	const { files, ...rest } = skill;
	if (include === 'none') return toItem(rest);
	const shown = files.map((file) =>
		include === 'text' ? { ...infoOf(file), ...textOf(file) } : infoOf(file),
	);
	return toItem({ ...rest, files: shown });
}

/** Gives back a file without its content. */
export function infoOf({ id, path, size, hash, isBinary }: LibraryFileInfo): LibraryFileInfo {
	return { id, path, size, hash, isBinary };
}

/** Gives back the content of a file that is text, nothing of one that is not. */
export function textOf({ isBinary, content }: LibraryFile): { content?: string } {
	const decoded = isBinary ? { badByte: 0 } : decodeUtf8(content);
	return 'text' in decoded ? { content: decoded.text } : {};
}
