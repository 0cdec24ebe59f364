import { badPath, nameList, type ToolNames } from './answers';
import { MAX_RESOURCE_FILE_BYTES, READ_BYTES_PER_CALL } from './limits';
import { joinPath, safeRelativePath } from './path';
import { decodeUtf8 } from './skill';
import { count, echo, escapeMarkup, oneLine, safeText } from './text';
import type { ReadFailure, SkillMetadata, SkillSet } from './types';

/** What to read of which files; offset and limit count bytes. */
export interface ReadRequest {
	paths: string[];
	offset?: number;
	limit?: number;
}

/** Gives back the text of some files of a skill, or for each why not, within one call's limit. */
export async function readFilesOfSkill(
	skills: SkillSet,
	skill: SkillMetadata,
	request: ReadRequest,
	names: ToolNames,
): Promise<string> {
	const paths = request.paths.map((path) => ({ path, safe: pathInSkill(skill, path) }));
	const safePaths = paths.flatMap(({ safe }) => safe ?? []);
	const results = await skills.readFiles(skill, safePaths, MAX_RESOURCE_FILE_BYTES);
	const offered = results.some((result) => 'error' in result && result.error === 'not_found')
		? (await skills.resources(skill)).map((resource) => resource.path)
		: [];
	let room = request.limit ?? READ_BYTES_PER_CALL;
	let next = 0;
	const parts = paths.map(({ path, safe }) => {
		if (safe === null) return badPath(path);
		const result = results[next++];
		if ('error' in result) return failure(safe, result, offered);
		const part = slice(result.content, request.offset ?? 0, room);
		room -= part.used;
		return part.text === null ? describeBinary(safe, result.content) : fileText(safe, part, names);
	});
	return parts.join('\n\n');
}

/** Gives back a path relative to the skill's folder; one that begins with that folder is taken. */
function pathInSkill(skill: SkillMetadata, path: string): string | null {
	const folder = joinPath(skill.directory, '');
	return safeRelativePath(path.startsWith(folder) ? path.slice(folder.length) : path);
}

function failure(path: string, result: ReadFailure, offered: string[]): string {
	if (result.error === 'not_found') {
		return `Error: The skill has no file '${echo(path)}'. Its files: ${nameList(offered)}.`;
	}
	if (result.error === 'too_large') {
		return `Error: The file '${echo(path)}' exceeds maximum size (${MAX_RESOURCE_FILE_BYTES.toLocaleString('en-US')} bytes).`;
	}
	return `Error: Failed to read '${echo(path)}': ${echo(result.message)}`;
}

interface Part {
	/** Null: the bytes are not text. */
	text: string | null;
	start: number;
	end: number;
	total: number;
	used: number;
}

/** Gives back some bytes of a text file, cut at whole characters. */
function slice(content: Uint8Array, offset: number, room: number): Part {
	const total = content.byteLength;
	if (content.includes(0) || 'badByte' in decodeUtf8(content)) {
		return { text: null, start: 0, end: 0, total, used: 0 };
	}
	const start = characterStart(content, Math.min(offset, total));
	const wanted = characterStart(content, Math.min(start + Math.max(room, 0), total));
	// A room smaller than the next character must not stop the reading for good.
	const end = wanted === start && room > 0 ? characterEnd(content, start) : wanted;
	const text = Buffer.from(content.subarray(start, end)).toString('utf8');
	return { text, start, end, total, used: end - start };
}

function characterStart(content: Uint8Array, at: number): number {
	let start = at;
	while (start > 0 && start < content.byteLength && (content[start] & 0xc0) === 0x80) start--;
	return start;
}

function characterEnd(content: Uint8Array, at: number): number {
	let end = Math.min(at + 1, content.byteLength);
	while (end < content.byteLength && (content[end] & 0xc0) === 0x80) end++;
	return end;
}

function fileText(path: string, { text, start, end, total }: Part, { prefix }: ToolNames): string {
	const range = start === 0 && end === total ? '' : ` bytes="${start}-${end} of ${total}"`;
	const open = `<skill_content file="${escapeMarkup(oneLine(path))}"${range}>`;
	const body = `${open}\n${safeText(text ?? '')}\n</skill_content>`;
	if (end >= total) return body;
	return `${body}\n(${count(total - end, 'byte')} left. Go on with \`${prefix}read_skill_file\`, paths ["${oneLine(path)}"], offset ${end}.)`;
}

const MAGIC: Array<[string, number[]]> = [
	['PNG image', [0x89, 0x50, 0x4e, 0x47]],
	['JPEG image', [0xff, 0xd8, 0xff]],
	['GIF image', [0x47, 0x49, 0x46, 0x38]],
	['PDF document', [0x25, 0x50, 0x44, 0x46]],
	['ZIP archive or Office document', [0x50, 0x4b, 0x03, 0x04]],
	['gzip archive', [0x1f, 0x8b]],
];

function describeBinary(path: string, content: Uint8Array): string {
	const known = MAGIC.find(([, bytes]) => bytes.every((byte, index) => content[index] === byte));
	const kind = known?.[0] ?? 'unknown type';
	return `The file '${echo(path)}' is binary (${kind}, ${count(content.byteLength, 'byte')}); it cannot be shown as text.`;
}
