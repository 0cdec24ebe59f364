import { SkillError } from '../errors';
import { isInside } from '../path';
import { isCommit, type GithubApi, type Head } from './api';
import type { Offer } from './marketplace';
import { tooManyFiles } from './refusals';
import type { Repository } from './repository';
import { GitTree } from './tree';

/** A repository at one commit. Only what hangs on that commit is kept in it. */
export interface View {
	head: Head;
	/** Null: GitHub does not list so many files at once, so each folder has a tree of its own. */
	tree: GitTree | null;
	folders: Map<string, Promise<GitTree>>;
	offer?: Offer;
}

/** Gives back the repository as it is now; what did not change since is not asked for again. */
export async function lookAt(
	api: GithubApi,
	repository: Repository,
	previous: View | undefined,
): Promise<View> {
	const { ref } = repository;
	const head = isCommit(ref) ? { commit: ref } : await api.head(previous?.head);
	if (previous && (head === null || head.commit === previous.head.commit)) {
		return { ...previous, head: head ?? previous.head };
	}
	if (head === null) throw new SkillError('source-unreadable', 'GitHub named no commit.');
	if (head.commit === '') return { head, tree: new GitTree('/', []), folders: new Map() };
	const { items, isTruncated } = await api.tree(head.commit, true);
	return { head, tree: isTruncated ? null : new GitTree('/', items), folders: new Map() };
}

/** Gives back the tree that a path is in; of a very large repository that of its source. */
export async function treeOf(
	view: View,
	path: string,
	api: GithubApi,
	sources: string[],
): Promise<GitTree> {
	if (view.tree) return view.tree;
	const [source = '/'] = sources
		.filter((one) => isInside(path, one))
		.sort((a, b) => b.length - a.length);
	if (source === '/') throw tooManyFiles();
	let known = view.folders.get(source);
	if (known === undefined) {
		known = folderTree(api, view.head.commit, source);
		view.folders.set(source, known);
		known.catch(() => view.folders.delete(source));
	}
	return await known;
}

/** Goes down to a folder level by level, then takes all that is below it at once. */
async function folderTree(api: GithubApi, commit: string, folder: string): Promise<GitTree> {
	let sha = commit;
	for (const name of folder.slice(1).split('/')) {
		const { items } = await api.tree(sha, false);
		const next = items.find(({ path, type }) => path === name && type === 'tree');
		if (next === undefined) return new GitTree(null, []);
		sha = next.sha;
	}
	const { items, isTruncated } = await api.tree(sha, true);
	if (isTruncated) throw tooManyFiles();
	return new GitTree(folder, items);
}
