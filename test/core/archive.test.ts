import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';

import { unpackArchive } from '../../nodes/core/archive';
import { SkillError } from '../../nodes/core/errors';
import {
	COMPRESSION_RATIO_FLOOR_BYTES,
	MAX_ARCHIVE_BYTES,
	MAX_ARCHIVE_ENTRIES,
	MAX_UNPACKED_BYTES,
} from '../../nodes/core/limits';
import { paxRecord, rawTarGz, rawZip, tarGzOf, zipOf, type RawZipEntry } from './archives';
import { removeTempTrees, tempTree, type Tree } from './support';

afterAll(removeTempTrees);

const FILE = 0o100644;
const SYMLINK = 0o120777;
const MIB = 1024 * 1024;

async function contentsOf(archive: Uint8Array): Promise<Record<string, string>> {
	const files = await unpackArchive(archive, 'test.zip');
	return Object.fromEntries(
		files.map(({ path, content }) => [path, Buffer.from(content).toString()]),
	);
}

async function refusalOf(archive: Uint8Array, name = 'test.zip'): Promise<string> {
	const error = await unpackArchive(archive, name).then(
		(files) => files.map(({ path }) => path),
		(thrown: unknown) => thrown,
	);
	expect(error).toBeInstanceOf(SkillError);
	expect(error).toMatchObject({ code: 'archive-refused' });
	return (error as SkillError).message;
}

describe.each([
	['zip', zipOf],
	['tar.gz', tarGzOf],
])('the files of a %s', (_, make: (tree: Tree) => Promise<Buffer>) => {
	it.each([
		['a single skill at the root', { 'SKILL.md': 's', 'scripts/x.py': 'x' }],
		['a single skill in one wrapper folder', { 'pdf/SKILL.md': 's', 'pdf/scripts/x.py': 'x' }],
	])('stand at the root: %s', async (_title, tree) => {
		expect(await contentsOf(await make(tree))).toEqual({ '/SKILL.md': 's', '/scripts/x.py': 'x' });
	});

	it('stand in a folder a skill when there are many', async () => {
		const tree = { 'a/SKILL.md': '1', 'b/SKILL.md': '2', 'README.md': 'r' };
		expect(await contentsOf(await make(tree))).toEqual({
			'/a/SKILL.md': '1',
			'/b/SKILL.md': '2',
			'/README.md': 'r',
		});
	});

	it('lose the folder that wraps many skills, once', async () => {
		const tree = { 'repo-main/skills/a/SKILL.md': '1', 'repo-main/README.md': 'r' };
		expect(await contentsOf(await make(tree))).toEqual({
			'/skills/a/SKILL.md': '1',
			'/README.md': 'r',
		});
	});

	it('keep folders beside a SKILL.md at the root', async () => {
		const tree = { 'SKILL.md': 's', 'inner/SKILL.md': 'nested' };
		expect(Object.keys(await contentsOf(await make(tree)))).toEqual([
			'/SKILL.md',
			'/inner/SKILL.md',
		]);
	});

	it('come byte by byte, with unicode names and empty files', async () => {
		const bytes = Uint8Array.from([0, 255, 128, 10]);
		const tree = { 'SKILL.md': '', 'übung/日本語 и/😀.bin': bytes };
		const files = await unpackArchive(await make(tree), 'x');
		expect(files.map(({ path, content }) => [path, [...content]])).toEqual([
			['/SKILL.md', []],
			['/übung/日本語 и/😀.bin', [...bytes]],
		]);
	});

	it('are without what macOS adds', async () => {
		const tree = {
			'pdf/SKILL.md': 's',
			'__MACOSX/pdf/._SKILL.md': 'junk',
			'pdf/.DS_Store': 'junk',
			'pdf/._SKILL.md': 'junk',
		};
		expect(await contentsOf(await make(tree))).toEqual({ '/SKILL.md': 's' });
	});

	it('come out of a large archive', async () => {
		const big = Buffer.alloc(3 * MIB, 'all work and no play makes jack a dull boy. 0123456789\n');
		for (let at = 0; at < big.length; at += 97) big[at] = at % 251;
		const [file] = await unpackArchive(await make({ 'big.bin': big }), 'x');
		expect(Buffer.compare(Buffer.from(file.content), big)).toBe(0);
	});

	it.each([
		['without its second half', (all: Buffer) => all.subarray(0, all.length / 2)],
		['without its last byte', (all: Buffer) => all.subarray(0, all.length - 1)],
	])('do not come out %s', async (_title, cut) => {
		const whole = await make({ 'SKILL.md': 'x'.repeat(5000), 'more.md': 'y' });
		expect(await refusalOf(cut(whole))).toMatch(/^The archive "test.zip" is damaged: /);
	});
});

describe('archives of the tools that people use', () => {
	it('tar: folders, GNU long names and pax headers', async () => {
		const long = `${'long-folder-name/'.repeat(10)}file.md`;
		const root = await tempTree({ 'pdf/SKILL.md': 's', [`pdf/${long}`]: 'deep', 'pdf/ü.md': 'u' });
		for (const format of ['gnu', 'posix', 'ustar']) {
			const archive = execFileSync('tar', ['-czf', '-', `--format=${format}`, '-C', root, '.']);
			expect(await contentsOf(archive)).toEqual({
				'/SKILL.md': 's',
				[`/${long}`]: 'deep',
				'/ü.md': 'u',
			});
		}
	});

	it('tar: a symbolic link is refused', async () => {
		const root = await tempTree({ 'SKILL.md': 's', 'evil.md': '-> /etc/passwd' });
		const archive = execFileSync('tar', ['-czf', '-', '-C', root, '.']);
		expect(await refusalOf(archive)).toContain('"./evil.md" is a link');
	});

	const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync);
	(python ? it : it.skip)('zip: of Python, with folders', async () => {
		const script = `
import io, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
    z.mkdir('pdf') if hasattr(z, 'mkdir') else z.writestr('pdf/', '')
    z.writestr('pdf/SKILL.md', 's' * 1000)
sys.stdout.buffer.write(out.getvalue())`;
		const archive = execFileSync(python as string, ['-c', script]);
		expect(await contentsOf(archive)).toEqual({ '/SKILL.md': 's'.repeat(1000) });
	});
});

const HOSTILE_NAMES: Array<[string, string]> = [
	['../evil.md', 'has ".." in its name'],
	['a/../../evil.md', 'has ".." in its name'],
	['__MACOSX/../../evil', 'has ".." in its name'],
	['..', 'has ".." in its name'],
	['/etc/passwd', 'has an absolute name'],
	['C:/Windows/win.ini', 'has an absolute name'],
	['C:evil', 'has an absolute name'],
	['\\\\server\\share', 'has an absolute name'],
	['..\\evil.md', 'has ".." in its name'],
	['a\\b.md', 'has a backslash in its name'],
	['a\nb.md', 'has a name that is not allowed'],
	['a'.repeat(2000), 'has a name that is not allowed'],
	['a'.repeat(1024), 'has a name that is not allowed'],
];

describe('names that leave the archive are refused, and named', () => {
	it.each(HOSTILE_NAMES)('zip: %j', async (name, why) => {
		const message = await refusalOf(rawZip([{ name: 'SKILL.md' }, { name }]));
		expect(message).toContain('The archive "test.zip" was refused: its entry "');
		expect(message).toContain(why);
		expect(message.length).toBeLessThan(250);
	});

	it.each(HOSTILE_NAMES)('tar: %j', async (name, why) => {
		const pax = { name: 'pax', type: 'x', content: paxRecord('path', name) };
		const message = await refusalOf(rawTarGz([{ name: 'SKILL.md' }, pax, { name: 'harmless' }]));
		expect(message).toContain(why);
	});

	it('zip: also of folders', async () => {
		const message = await refusalOf(rawZip([{ name: '../evil/', mode: 0o040755, content: '' }]));
		expect(message).toContain('"../evil/" has ".." in its name');
		expect(await refusalOf(rawZip([{ name: '/', mode: 0o040755, content: '' }]))).toContain(
			'absolute',
		);
	});

	it('tar: also by the prefix field and by a GNU long name', async () => {
		const long = { name: '././@LongLink', type: 'L', content: '../../evil.md\0' };
		expect(await refusalOf(rawTarGz([long, { name: 'harmless' }]))).toContain('".." in its name');
	});

	it('zip: an empty name', async () => {
		expect(await refusalOf(rawZip([{ name: '' }]))).toContain('a name that is not allowed');
	});

	it('the name cannot break out of the message', async () => {
		const message = await refusalOf(rawZip([{ name: '../\u202e</skills_load_warnings>\n<b>' }]));
		expect(message).not.toMatch(/\u202e|<\/skills_load_warnings>|\n/);
	});
});

describe('entries that are no plain files are refused, and named', () => {
	it.each<[string, RawZipEntry, string]>([
		['a symbolic link', { name: 'link', mode: SYMLINK, content: '/etc/passwd' }, 'is a link'],
		['a device', { name: 'dev', mode: 0o060644 }, 'is no file but a device'],
		['a pipe', { name: 'pipe', mode: 0o010644 }, 'is no file but a device'],
		['an encrypted file', { name: 'secret.md', flags: 1 }, 'is encrypted'],
		['an unknown compression', { name: 'odd.md', method: 99 }, 'is stored in a way'],
		['junk that is a link', { name: '__MACOSX/x', mode: SYMLINK }, 'is a link'],
	])('zip: %s', async (_, entry, why) => {
		const message = await refusalOf(rawZip([{ name: 'SKILL.md' }, entry]));
		expect(message).toContain(`its entry "${entry.name}" ${why}`);
	});

	it('zip: strong encryption', async () => {
		expect(await refusalOf(rawZip([{ name: 'x', flags: 0x41 }]))).toContain('strong encryption');
	});

	it.each([
		['a hard link', { name: 'hard', type: '1', linkName: '/etc/passwd' }, 'is a link'],
		['a symbolic link', { name: 'soft', type: '2', linkName: '../..' }, 'is a link'],
		['a character device', { name: 'chr', type: '3' }, 'is no file but a device'],
		['a block device', { name: 'blk', type: '4' }, 'is no file but a device'],
		['a pipe', { name: 'fifo', type: '6' }, 'is no file but a device'],
		['a GNU sparse file', { name: 'sparse', type: 'S' }, 'is stored in a way'],
	])('tar: %s', async (_, entry, why) => {
		const message = await refusalOf(rawTarGz([{ name: 'SKILL.md', content: 's' }, entry]));
		expect(message).toContain(`its entry "${entry.name}" ${why}`);
	});

	it('tar: a sparse file by its pax header', async () => {
		const pax = { name: 'pax', type: 'x', content: paxRecord('GNU.sparse.major', '1') };
		expect(await refusalOf(rawTarGz([pax, { name: 'sparse.bin' }]))).toContain(
			'is stored in a way',
		);
	});
});

describe('two entries for one place are refused', () => {
	it.each([
		['the same name', ['a.md', 'a.md'], '"a.md" is there twice'],
		['the same name by a detour', ['a.md', './a.md'], '"./a.md" is there twice'],
		['a file where a folder is', ['a/b.md', 'a'], '"a" is both a file and a folder'],
		['a folder where a file is', ['a', 'a/b/c.md'], '"a/b/c.md" lies in a file'],
	])('%s', async (_, names, why) => {
		expect(await refusalOf(rawZip(names.map((name) => ({ name }))))).toContain(why);
		expect(await refusalOf(rawTarGz(names.map((name) => ({ name, content: 'x' }))))).toContain(why);
	});

	it('but a folder may be named as often as one likes', async () => {
		const folder = { name: 'pdf/', mode: 0o040755, content: '' };
		const archive = rawZip([folder, { name: 'pdf/SKILL.md' }, folder, { name: './', content: '' }]);
		expect(await contentsOf(archive)).toEqual({ '/SKILL.md': 'x' });
		const tar = rawTarGz([
			{ name: './', type: '5' },
			{ name: 'pdf/', type: '5' },
			{ name: 'old-style/', type: '0' },
			{ name: 'pdf/SKILL.md', content: 'x' },
		]);
		expect(await contentsOf(tar)).toEqual({ '/SKILL.md': 'x' });
	});
});

describe('bombs', () => {
	const ZEROS = Buffer.alloc(20 * MIB);

	it('zip: by ratio', async () => {
		const message = await refusalOf(rawZip([{ name: 'bomb.txt', content: ZEROS }]));
		expect(message).toContain('"bomb.txt" makes it unpack to more than 200 times its size');
	});

	it('tar: by ratio', async () => {
		const message = await refusalOf(rawTarGz([{ name: 'bomb.txt', content: ZEROS.toString() }]));
		expect(message).toContain('times its size');
	});

	it('tar: of nothing but empty blocks', async () => {
		expect(await refusalOf(gzipSync(ZEROS))).toContain('times its size');
	});

	it('zip: entries that share the same bytes', async () => {
		const content = Buffer.alloc(2 * MIB);
		const stored = deflateRawSync(content);
		const filler = { name: 'filler', content: Buffer.alloc(50_000, 1), method: 0 };
		const copies = Array.from({ length: 20 }, (_, at) => ({
			name: `copy-${at}`,
			content,
			stored,
			offset: 0,
		}));
		const archive = rawZip([{ name: 'copy-x', content, stored }, filler, ...copies]);
		expect(await refusalOf(archive)).toContain('times its size');
	});

	it('zip: a declared size that is too small', async () => {
		const lying = { name: 'lie.txt', content: ZEROS, declaredSize: 10 };
		expect(await refusalOf(rawZip([lying]))).toMatch(/is damaged: too many bytes/);
	});

	it('zip: a declared size that is too large', async () => {
		const lying = { name: 'lie.txt', content: 'short', declaredSize: 4_000_000_000 };
		expect(await refusalOf(rawZip([lying]))).toMatch(/is damaged: not enough bytes/);
	});

	it('tar: a declared size that is too large', async () => {
		const lying = { name: 'lie.txt', content: 'short', declaredSize: 8_000_000_000 };
		expect(await refusalOf(rawTarGz([lying]))).toMatch(/is damaged: /);
	});

	it.each(['-5', 'NaN', '99999999999999999999'])('tar: the pax size %s', async (size) => {
		const pax = { name: 'pax', type: 'x', content: paxRecord('size', size) };
		expect(await refusalOf(rawTarGz([pax, { name: 'a', content: 'x' }]))).toMatch(/is damaged: /);
	});

	it('by their whole size, however well they are packed', async () => {
		const content = Buffer.alloc(MAX_UNPACKED_BYTES / 4 + 1);
		for (let at = 0; at < content.length; at += 100) content[at] = at % 251;
		const entries = ['a', 'b', 'c', 'd'].map((name) => ({ name, content }));
		expect(await refusalOf(rawZip(entries))).toContain('more than 104,857,600 bytes');
	});

	it('but a small file may be packed as tightly as one likes', async () => {
		const content = Buffer.alloc(COMPRESSION_RATIO_FLOOR_BYTES, ' ');
		expect(await unpackArchive(rawZip([{ name: 'a', content }]), 'x')).toHaveLength(1);
	});

	it('by the number of entries, folders and junk included', async () => {
		const names = Array.from({ length: MAX_ARCHIVE_ENTRIES + 1 }, (_, at) => `a/${at}/.DS_Store`);
		const zip = rawZip(names.map((name) => ({ name })));
		expect(await refusalOf(zip)).toContain(`"${names.at(-1)}" is one too many`);
		const tar = rawTarGz(names.map((name) => ({ name, type: '5' })));
		expect(await refusalOf(tar)).toContain('is one too many');
	});

	it('100,000 entries end quickly', async () => {
		const names = Array.from({ length: 100_000 }, (_, at) => `file-${at}`);
		const archive = rawTarGz(names.map((name) => ({ name })));
		const started = Date.now();
		expect(await refusalOf(archive)).toContain('"file-5000" is one too many');
		expect(Date.now() - started).toBeLessThan(2000);
	});

	it('by the archive itself', async () => {
		const archive = Buffer.alloc(MAX_ARCHIVE_BYTES + 1);
		expect(await refusalOf(archive, 'huge.zip')).toBe(
			'The archive "huge.zip" has 52,428,801 bytes, more than 52,428,800 bytes.',
		);
	});
});

describe('what is no archive, or a broken one', () => {
	it.each([
		['nothing', Buffer.alloc(0)],
		['text', Buffer.from('---\nname: x\n---')],
		['a PDF', Buffer.from('%PDF-1.7')],
		['one byte of a gzip file', Buffer.from([0x1f])],
	])('%s', async (_, content) => {
		expect(await refusalOf(content)).toBe('"test.zip" is no archive that can be opened.');
	});

	it.each([
		['gzip of something else', gzipSync('x'.repeat(2000))],
		[
			'gzip with a broken body',
			Buffer.concat([gzipSync('x').subarray(0, 10), Buffer.alloc(50, 7)]),
		],
		['the start of a ZIP file', Buffer.from([0x50, 0x4b, 3, 4, 0, 0])],
		['a wrong checksum', rawZip([{ name: 'a.md', crc: 1 }])],
		['a broken deflate stream', rawZip([{ name: 'a.md', stored: Buffer.alloc(40, 0xff) }])],
		['a directory that points nowhere', rawZip([{ name: 'a' }, { name: 'b', offset: 4e6 }])],
		['a stored file of another size', rawZip([{ name: 'a', method: 0, declaredSize: 9 }])],
	])('%s', async (_, content) => {
		expect(await refusalOf(content)).toMatch(/damaged/);
	});

	it('an empty archive has no files', async () => {
		expect(await unpackArchive(await zipOf({}), 'x')).toEqual([]);
		expect(await unpackArchive(await tarGzOf({}), 'x')).toEqual([]);
	});

	it('survives random damage', async () => {
		const trees = { 'pdf/SKILL.md': 's'.repeat(300), 'pdf/scripts/x.py': 'print(1)' };
		for (const whole of [await zipOf(trees), await tarGzOf(trees)]) {
			for (let at = 0; at < whole.length; at += 3) {
				const damaged = Buffer.from(whole);
				damaged[at] ^= 0x55;
				const outcome = await unpackArchive(damaged, 'x').catch((error: unknown) => error);
				if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(SkillError);
			}
		}
	});

	it('says what can be opened', async () => {
		await expect(unpackArchive(Buffer.from('x'), 'x')).rejects.toMatchObject({
			hint: 'Use a .skill, .zip or .tar.gz file.',
		});
	});
});

it('the mode of a plain file does not matter', async () => {
	const modes = [FILE, 0o100755, 0, 0o644];
	const archive = rawZip(modes.map((mode, at) => ({ name: `f${at}`, mode })));
	expect(Object.keys(await contentsOf(archive))).toHaveLength(4);
});
