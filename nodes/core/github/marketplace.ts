import { diagnostic, type Diagnostic } from '../errors';
import { MAX_INDEXED_SKILLS } from '../limits';
import { joinPath, safeAbsolutePath } from '../path';
import { SKILL_FILE } from '../skill';
import { count, echo } from '../text';
import type { GitTree } from './tree';

/** Where a repository says which skills it offers, as plugins for Claude Code. */
export const MARKETPLACE_FILE = '/.claude-plugin/marketplace.json';

/** The folders of the skills that a marketplace offers, and what is wrong with it. */
export interface Offer {
	/** Empty: it offers none, so the repository is walked as any other. */
	folders: string[];
	problems: Diagnostic[];
}

interface Plugin {
	name?: unknown;
	source?: unknown;
	skills?: unknown;
}

/**
 * Gives back what a marketplace.json offers: the folders in `plugins[].skills`, below the plugin's
 * `source`; of a plugin without that list, its folder `skills`.
 */
export function readMarketplace(content: Uint8Array, tree: GitTree): Offer {
	const file = parse(content);
	if (file === null) {
		const message = `${MARKETPLACE_FILE} is not JSON with a list "plugins"; all folders are looked at instead. Correct the file.`;
		return { folders: [], problems: [problem('index-unsupported', message)] };
	}
	const elsewhere = file.plugins.filter(({ source }) => typeof source === 'object');
	const paths = file.plugins
		.filter(({ source }) => typeof source !== 'object')
		.flatMap((plugin) => listedPaths(plugin, file.root));
	const found = paths.slice(0, MAX_INDEXED_SKILLS).map((one) => ({
		...one,
		skills: one.path === null ? [] : skillsIn(one.path, tree),
	}));
	const missing = found.filter(({ skills, isListed }) => isListed && skills.length === 0);
	return {
		folders: [...new Set(found.flatMap(({ skills }) => skills))],
		problems: [...missing.map(({ text }) => noSkill(text)), ...keptElsewhere(elsewhere)],
	};
}

function parse(content: Uint8Array): { plugins: Plugin[]; root: string } | null {
	try {
		const { plugins, metadata } = JSON.parse(Buffer.from(content).toString()) as {
			plugins?: unknown;
			metadata?: { pluginRoot?: unknown };
		};
		if (!Array.isArray(plugins)) return null;
		const root = textOf(metadata?.pluginRoot);
		return { plugins: plugins.filter((one) => typeof one === 'object' && one !== null), root };
	} catch {
		return null;
	}
}

interface ListedPath {
	text: string;
	/** Null: the path leaves the repository. */
	path: string | null;
	/** False: nobody wrote it, it is where a plugin has its skills by default. */
	isListed: boolean;
}

function listedPaths({ source, skills }: Plugin, root: string): ListedPath[] {
	const isListed = skills !== undefined;
	const listed = isListed ? [skills].flat() : ['skills'];
	return listed.map((one) => {
		const path = safeAbsolutePath(`/${[root, textOf(source), textOf(one)].join('/')}`);
		return { text: echo(one), path: textOf(one) === '' ? null : path, isListed };
	});
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** A listed folder is a skill, or holds skills. */
function skillsIn(folder: string, tree: GitTree): string[] {
	if (isSkill(folder, tree)) return [folder];
	const children = tree.list(folder) ?? [];
	return children.map(({ path }) => path).filter((path) => isSkill(path, tree));
}

function isSkill(folder: string, tree: GitTree): boolean {
	const file = tree.find(joinPath(folder, SKILL_FILE));
	return file !== undefined && !file.refused;
}

function noSkill(text: string): Diagnostic {
	const message = `${MARKETPLACE_FILE} lists "${text}", but there is no skill. Correct the path, or remove it.`;
	return problem('index-entry-invalid', message);
}

function keptElsewhere(plugins: Plugin[]): Diagnostic[] {
	if (plugins.length === 0) return [];
	const message = `${count(plugins.length, 'plugin')} of ${MARKETPLACE_FILE} (first: "${echo(plugins[0].name)}") are kept in other repositories and left out. Add a Skills Source for each that you want.`;
	return [problem('index-unsupported', message)];
}

function problem(code: 'index-unsupported' | 'index-entry-invalid', message: string): Diagnostic {
	return diagnostic(code, message, { path: MARKETPLACE_FILE });
}
