import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';

import type { Tree } from './support';

/** Gives back a ZIP file with these files, made by a real library. */
export async function zipOf(tree: Tree): Promise<Buffer> {
	const zip = new ZipFile();
	for (const [path, content] of Object.entries(tree)) {
		zip.addBuffer(Buffer.from(content as string), path);
	}
	zip.end();
	return await bytesOf(zip.outputStream as unknown as AsyncIterable<Buffer>);
}

/** Gives back a gzipped tar file with these files, made by a real library. */
export async function tarGzOf(tree: Tree): Promise<Buffer> {
	const tar = pack();
	for (const [name, content] of Object.entries(tree)) {
		tar.entry({ name }, Buffer.from(content as string));
	}
	tar.finalize();
	return gzipSync(await bytesOf(tar as unknown as AsyncIterable<Buffer>));
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk);
	return Buffer.concat(chunks);
}

/** An entry of a hand-made ZIP file; what is not given is as it should be. */
export interface RawZipEntry {
	name: string;
	content?: string | Uint8Array;
	/** Unix mode; its upper bits tell files, folders and links apart. */
	mode?: number;
	flags?: number;
	method?: number;
	/** The bytes as stored, where they are not the deflated content. */
	stored?: Uint8Array;
	declaredSize?: number;
	crc?: number;
	/** Position of the data of another entry, to let two overlap. */
	offset?: number;
}

const UTF8_FLAG = 0x800;
const DEFLATE = 8;

/** Gives back a ZIP file byte by byte, so that it may say what no tool would write. */
export function rawZip(entries: RawZipEntry[]): Buffer {
	const local: Buffer[] = [];
	const central: Buffer[] = [];
	let at = 0;
	for (const entry of entries) {
		const fields = zipFields(entry);
		const own = Buffer.concat([localHeader(fields), fields.name, fields.stored]);
		central.push(centralHeader(fields, entry.offset ?? at), fields.name);
		if (entry.offset !== undefined) continue;
		local.push(own);
		at += own.length;
	}
	const directory = Buffer.concat(central);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(entries.length & 0xffff, 8);
	end.writeUInt16LE(entries.length & 0xffff, 10);
	end.writeUInt32LE(directory.length, 12);
	end.writeUInt32LE(at, 16);
	return Buffer.concat([...local, directory, end]);
}

function zipFields(entry: RawZipEntry) {
	const content = Buffer.from((entry.content ?? 'x') as string);
	const method = entry.method ?? DEFLATE;
	return {
		name: Buffer.from(entry.name),
		flags: UTF8_FLAG | (entry.flags ?? 0),
		method,
		crc: entry.crc ?? crc32(content),
		stored: Buffer.from(entry.stored ?? (method === DEFLATE ? deflateRawSync(content) : content)),
		size: entry.declaredSize ?? content.length,
		mode: entry.mode ?? 0o100644,
	};
}

type ZipFields = ReturnType<typeof zipFields>;

function localHeader({ name, flags, method, crc, stored, size }: ZipFields): Buffer {
	const header = Buffer.alloc(30);
	header.writeUInt32LE(0x04034b50, 0);
	header.writeUInt16LE(20, 4);
	header.writeUInt16LE(flags, 6);
	header.writeUInt16LE(method, 8);
	header.writeUInt32LE(crc, 14);
	header.writeUInt32LE(stored.length, 18);
	header.writeUInt32LE(size, 22);
	header.writeUInt16LE(name.length, 26);
	return header;
}

function centralHeader(fields: ZipFields, offset: number): Buffer {
	const header = Buffer.alloc(46);
	header.writeUInt32LE(0x02014b50, 0);
	header.writeUInt16LE((3 << 8) | 20, 4);
	localHeader(fields).copy(header, 6, 4, 28);
	header.writeUInt32LE((fields.mode << 16) >>> 0, 38);
	header.writeUInt32LE(offset, 42);
	return header;
}

/** An entry of a hand-made tar file. */
export interface RawTarEntry {
	name: string;
	content?: string;
	/** The type flag: "0" file, "1" hard link, "2" symbolic link, "x" pax header … */
	type?: string;
	linkName?: string;
	declaredSize?: number;
}

/** Gives back a gzipped tar file byte by byte. */
export function rawTarGz(entries: RawTarEntry[]): Buffer {
	const blocks = entries.flatMap((entry) => {
		const content = Buffer.from(entry.content ?? '');
		const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
		return [tarHeader(entry, content.length), content, padding];
	});
	return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function tarHeader(entry: RawTarEntry, length: number): Buffer {
	const header = Buffer.alloc(512);
	header.write(entry.name, 0, 100);
	header.write('0000644\0', 100);
	header.write((entry.declaredSize ?? length).toString(8).padStart(11, '0'), 124);
	header.write('00000000000', 136);
	header.write(' '.repeat(8), 148);
	header.write(entry.type ?? '0', 156);
	header.write(entry.linkName ?? '', 157, 100);
	header.write('ustar\x0000', 257);
	const sum = header.reduce((total, byte) => total + byte, 0);
	header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
	return header;
}

/** Gives back one record of a pax header, which begins with its own length. */
export function paxRecord(key: string, value: string): string {
	const rest = ` ${key}=${value}\n`;
	let length = rest.length;
	while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length;
	return `${length}${rest}`;
}
