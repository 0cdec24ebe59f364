import type { DataFile } from './backends';
import { diagnostic, type Diagnostic } from './errors';
import { splitSkill } from './frontmatter';
import { generateSkill } from './generate';
import { MAX_DATA_BYTES, MAX_DATA_FILES } from './limits';
import { joinPath, safeRelativePath } from './path';
import { SKILL_FILE } from './skill';
import { echo } from './text';

/** Files made from workflow data, and what of the data could not be used. */
export interface DataFiles {
	files: DataFile[];
	diagnostics: Diagnostic[];
}

type Fields = Record<string, unknown>;

const EXPECTED =
	'Each item needs either "path" and "content" (a file), or "name", "description" and "content" (a skill).';

/**
 * Gives back the files of workflow data: n8n items, plain objects or their JSON text, each a file
 * `{ path, content }` or a skill `{ name, description, content, files }`. A bad item harms no other.
 */
export function filesFromData(data: unknown): DataFiles {
	const collected = new Collection();
	const items = toItems(data);
	if (items === null) collected.refuse(`The skills data is not a list of items. ${EXPECTED}`);
	(items ?? []).forEach((item, index) => addItem(collected, item, `Item ${index + 1}`));
	return collected.result();
}

/** Collects files within the limits; the first breach is reported, the rest left out. */
class Collection {
	private readonly files: DataFile[] = [];
	private readonly diagnostics: Diagnostic[] = [];
	private readonly paths = new Set<string>();
	private bytes = 0;
	private full = false;

	add(path: string, content: Uint8Array): void {
		if (this.full) return;
		this.reportAgain(path);
		this.bytes += content.byteLength;
		this.full = this.files.length === MAX_DATA_FILES || this.bytes > MAX_DATA_BYTES;
		if (!this.full) this.files.push({ path, content });
		else {
			this.refuse(
				`The skills data has more than ${MAX_DATA_FILES} files or ${MAX_DATA_BYTES} bytes; "${path}" and what follows was left out.`,
			);
		}
	}

	/** The last one of a path wins, as the last source does, but not silently. */
	private reportAgain(path: string): void {
		if (this.paths.has(path)) {
			const message = `The skills data has "${path}" more than once; the last one is used.`;
			this.diagnostics.push(diagnostic('skill-duplicate', message, { path }));
		}
		this.paths.add(path);
	}

	refuse(message: string): void {
		this.diagnostics.push(diagnostic('data-invalid', message));
	}

	result(): DataFiles {
		return { files: this.files, diagnostics: this.diagnostics };
	}
}

function toItems(data: unknown): Fields[] | null {
	if (data === undefined || data === null || data === '') return [];
	if (typeof data === 'string') {
		try {
			return toItems(JSON.parse(data) as unknown);
		} catch {
			return null;
		}
	}
	if (!Array.isArray(data)) return isFields(data) ? [unwrapped(data)] : null;
	return data.map((item) => (isFields(item) ? unwrapped(item) : {}));
}

function unwrapped(item: Fields): Fields {
	return isFields(item.json) ? item.json : item;
}

function addItem(collected: Collection, item: Fields, where: string): void {
	const content = contentOf(item);
	// A column that a row does not use comes as null or as an empty text.
	const isFile = typeof item.path === 'string' && (item.name ?? '') === '';
	const isSkill = typeof item.description === 'string' && typeof item.name === 'string';
	if (content === null && !isSkill) {
		collected.refuse(`${where} has no text in "content". ${EXPECTED}`);
	} else if (isFile) addFile(collected, '/', item.path as string, content as Uint8Array, where);
	else addSkill(collected, item, content ?? new Uint8Array(), where);
}

function addSkill(collected: Collection, item: Fields, content: Uint8Array, where: string): void {
	const { name, description } = item;
	if (typeof name !== 'string' || name.trim() === '') {
		collected.refuse(`${where} has no name. ${EXPECTED}`);
		return;
	}
	const dir = joinPath('/', folderFor(name));
	const text = Buffer.from(content).toString('utf8');
	const split = splitSkill(text);
	const isWhole = split.header !== null && typeof description !== 'string';
	const skillText = isWhole
		? content
		: Buffer.from(
				generateSkill({
					name: name.trim(),
					description: typeof description === 'string' ? description : '',
					body: split.header === null ? text : split.body,
				}),
			);
	collected.add(joinPath(dir, SKILL_FILE), skillText);
	for (const file of toFileList(item.files)) {
		const fileContent = contentOf(file);
		if (typeof file.path !== 'string' || fileContent === null) {
			collected.refuse(`${where} ("${echo(name)}") has a file without "path" or "content".`);
		} else addFile(collected, dir, file.path, fileContent, `${where} ("${echo(name)}")`);
	}
}

function addFile(
	collected: Collection,
	dir: string,
	path: string,
	content: Uint8Array,
	where: string,
): void {
	const relative = safeRelativePath(path.replace(/^\/+/, ''));
	if (relative === null) {
		collected.refuse(
			`${where} has the path "${echo(path)}", which is not allowed. Use a path such as "my-skill/SKILL.md".`,
		);
	} else collected.add(joinPath(dir, relative), content);
}

function toFileList(files: unknown): Fields[] {
	if (typeof files === 'string' && files.trim() !== '') {
		const parsed = toItems(files);
		return parsed ?? [{ path: files }];
	}
	if (Array.isArray(files)) return files.filter(isFields);
	if (!isFields(files)) return [];
	return Object.entries(files).map(([path, content]) => ({ path, content }));
}

function contentOf(item: Fields): Uint8Array | null {
	const content = item.content ?? item.instructions ?? item.body;
	if (content instanceof Uint8Array) return content;
	if (typeof content !== 'string') return null;
	return Buffer.from(content, item.encoding === 'base64' ? 'base64' : 'utf8');
}

/** Gives back any name as the name of one folder. */
function folderFor(name: string): string {
	const leaf = name
		.trim()
		.replace(/[\\/:\0-\x1f\x7f]+/g, '-')
		.replace(/^\.+/, '');
	return safeRelativePath(leaf) ?? 'skill';
}

function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
