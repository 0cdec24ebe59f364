import type { LibraryFile, LibraryFileInfo, LibrarySkill } from './types';
import type { Row } from './sql';

/** The columns of a skill that a listing reads: neither text nor files. */
export const SKILL_COLUMNS =
	's.id, s.name, s.description, s.tags, s.is_public, s.owner_id, s.extras, s.version, s.content_hash, s.created_at, s.updated_at';

/** Gives back the skill of a row with `SKILL_COLUMNS`. */
export function toSkill(row: Row): LibrarySkill {
	return {
		id: row.id as string,
		name: row.name as string,
		description: row.description as string,
		tags: row.tags === '[]' ? [] : (JSON.parse(row.tags as string) as string[]),
		isPublic: Boolean(row.is_public),
		ownerId: row.owner_id as string | null,
		extras:
			row.extras === '{}' ? {} : (JSON.parse(row.extras as string) as Record<string, unknown>),
		version: row.version as number,
		contentHash: row.content_hash as string,
		createdAt: row.created_at as string,
		updatedAt: row.updated_at as string,
	};
}

/** The columns of a file without its content. */
export const FILE_COLUMNS = 'f.id AS file_id, f.path, f.path_key, f.size, f.hash, f.is_binary';

/** Gives back the file of a row with `FILE_COLUMNS`. */
export function toFileInfo(row: Row): LibraryFileInfo {
	return {
		id: row.file_id as string,
		path: row.path as string,
		size: Number(row.size),
		hash: row.hash as string,
		isBinary: Boolean(row.is_binary),
	};
}

/** Gives back the file of a row with `FILE_COLUMNS` and `bytes`. */
export function toFile(row: Row): LibraryFile {
	return { ...toFileInfo(row), content: row.bytes as Uint8Array };
}

/** Collects the values of a statement and gives back `$1`, `$2`, … for them. */
export class Values {
	readonly list: Array<Row[string]> = [];

	/** Gives back what stands for a value. */
	add(value: Row[string]): string {
		return `$${this.list.push(value)}`;
	}
}
