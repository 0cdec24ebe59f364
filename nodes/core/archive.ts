import type { DataFile } from './backends/data';
import { messageOf, SkillError } from './errors';
import { MAX_ARCHIVE_BYTES } from './limits';
import { SKILL_FILE } from './skill';
import { unpackTarGz } from './tar';
import { count, echo, oneLine } from './text';
import { Unpacking } from './unpacking';
import { unpackZip } from './zip';

type Unpack = (content: Uint8Array, unpacking: Unpacking) => Promise<void>;

// By the first bytes, since a name says nothing: a .skill is a ZIP file, an empty one has only its end.
const FORMATS: Array<{ magic: number[]; unpack: Unpack }> = [
	{ magic: [0x50, 0x4b, 0x03, 0x04], unpack: unpackZip },
	{ magic: [0x50, 0x4b, 0x05, 0x06], unpack: unpackZip },
	{ magic: [0x1f, 0x8b], unpack: unpackTarGz },
];

/**
 * Gives back the files of a `.skill`, `.zip` or `.tar.gz`; `name` is only for messages. A single
 * skill gives `/SKILL.md`, `/scripts/x` …, many give `/<name>/SKILL.md` …: the one folder that
 * wraps everything, if there is one, is taken off. Nothing unsafe comes out: the whole archive is
 * refused with a `SkillError` `archive-refused` that names the entry.
 */
export async function unpackArchive(content: Uint8Array, name: string): Promise<DataFile[]> {
	const shown = echo(name);
	if (content.byteLength > MAX_ARCHIVE_BYTES) {
		const size = `${count(content.byteLength, 'byte')}, more than ${count(MAX_ARCHIVE_BYTES, 'byte')}`;
		throw new SkillError('archive-refused', `The archive "${shown}" has ${size}.`);
	}
	const format = FORMATS.find(({ magic }) => magic.every((byte, at) => content[at] === byte));
	if (format === undefined) {
		throw new SkillError(
			'archive-refused',
			`"${shown}" is no archive that can be opened.`,
			'Use a .skill, .zip or .tar.gz file.',
		);
	}
	const unpacking = new Unpacking(name, content.byteLength);
	try {
		await format.unpack(content, unpacking);
	} catch (error) {
		if (error instanceof SkillError) throw error;
		const why = oneLine(messageOf(error));
		throw new SkillError('archive-refused', `The archive "${shown}" is damaged: ${why}.`);
	}
	return withoutWrapper(unpacking.files());
}

function withoutWrapper(files: DataFile[]): DataFile[] {
	const [first] = files;
	if (first === undefined || files.some(({ path }) => path === `/${SKILL_FILE}`)) return files;
	const wrapper = first.path.slice(0, first.path.indexOf('/', 1) + 1);
	if (wrapper === '' || !files.every(({ path }) => path.startsWith(wrapper))) return files;
	return files.map(({ path, content }) => ({ path: `/${path.slice(wrapper.length)}`, content }));
}
