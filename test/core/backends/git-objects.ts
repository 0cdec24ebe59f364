import { createHash } from 'node:crypto';

import type { Tree } from '../support';

/** One entry of a git tree. */
export interface GitItem {
	path: string;
	mode: string;
	type: 'blob' | 'tree' | 'commit';
	sha: string;
	size?: number;
}

const LINK = '-> ';
const SUBMODULE = '=> ';

/** The objects of a repository, by the ids that git gives them. */
export class GitObjects {
	readonly blobs = new Map<string, Buffer>();
	readonly trees = new Map<string, GitItem[]>();
	/** Commits and the trees that they name. */
	readonly commits = new Map<string, string>();

	/** Gives back the id of a new commit; "-> x" is a link to x, "=> x" a submodule at commit x. */
	commit(tree: Tree, parent: string): string {
		const root = this.tree(tree);
		const author = 'Test <test@example.com> 1700000000 +0000';
		const lines = [`tree ${root}`, ...(parent === '' ? [] : [`parent ${parent}`])];
		const text = [...lines, `author ${author}`, `committer ${author}`, '', 'A commit', ''];
		const sha = idOf('commit', Buffer.from(text.join('\n')));
		this.commits.set(sha, root);
		return sha;
	}

	/** Gives back all that is below a tree, folders before what is in them. */
	walk(sha: string, below = ''): GitItem[] {
		return (this.trees.get(sha) ?? []).flatMap((item) => {
			const whole = { ...item, path: below + item.path };
			return item.type === 'tree' ? [whole, ...this.walk(item.sha, `${whole.path}/`)] : [whole];
		});
	}

	private tree(files: Tree): string {
		const folders = new Map<string, Tree>();
		const items: GitItem[] = [];
		for (const [path, content] of Object.entries(files)) {
			const [name, ...rest] = path.split('/');
			if (rest.length === 0) items.push(this.file(name, content));
			else folders.set(name, { ...folders.get(name), [rest.join('/')]: content });
		}
		for (const [path, inner] of folders) {
			items.push({ path, mode: '040000', type: 'tree', sha: this.tree(inner) });
		}
		items.sort((a, b) => Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b))));
		const parts = items.flatMap(({ mode, path, sha }) => [
			Buffer.from(`${mode.replace(/^0/, '')} ${path}\0`),
			Buffer.from(sha, 'hex'),
		]);
		const id = idOf('tree', Buffer.concat(parts));
		this.trees.set(id, items);
		return id;
	}

	private file(path: string, content: string | Uint8Array): GitItem {
		if (typeof content === 'string' && content.startsWith(SUBMODULE)) {
			return { path, mode: '160000', type: 'commit', sha: content.slice(SUBMODULE.length) };
		}
		const isLink = typeof content === 'string' && content.startsWith(LINK);
		const bytes = Buffer.from(isLink ? content.slice(LINK.length) : (content as string));
		const sha = idOf('blob', bytes);
		this.blobs.set(sha, bytes);
		const mode = isLink ? '120000' : '100644';
		return { path, mode, type: 'blob', sha, size: bytes.byteLength };
	}
}

/** Gives back the id that git gives an object. */
export function idOf(kind: string, content: Buffer): string {
	const header = `${kind} ${content.byteLength}\0`;
	return createHash('sha1').update(header).update(content).digest('hex');
}

function sortKey({ path, type }: GitItem): string {
	return type === 'tree' ? `${path}/` : path;
}
