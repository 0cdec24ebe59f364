const { existsSync } = require('node:fs');
const { readFile, rm, writeFile } = require('node:fs/promises');
const { dirname, join } = require('node:path');
const { build } = require('esbuild');
const { dest, parallel, src } = require('gulp');

/** The modules that import a library; the package has no dependencies, so it is put into them. */
const BUNDLED = [
	'nodes/core/yaml',
	'nodes/core/zip',
	'nodes/core/tar',
	'nodes/core/library/pack',
	'nodes/core/mcp/client',
	'nodes/core/library/postgres',
];

/** What the Postgres driver would take instead of its own code, elsewhere than in n8n. */
const NEVER_TAKEN = ['pg-native', 'pg-cloudflare'];

const MCP_CLIENT = '@modelcontextprotocol/client';

/** Keeps our own modules apart: a class in two bundles would be two classes. */
const ownModulesStayApart = {
	name: 'own-modules-stay-apart',
	setup({ onResolve }) {
		onResolve({ filter: /^\.\.?\// }, ({ importer, path }) =>
			importer === '' || importer.includes('node_modules') ? undefined : { path, external: true },
		);
	},
};

/** Takes the zod of the MCP client for the MCP core too: npm gives each a copy of its own. */
const oneZod = {
	name: 'one-zod',
	setup({ onResolve, resolve }) {
		onResolve({ filter: /^zod(?:\/|$)/ }, ({ importer, path, kind }) =>
			importer.includes('@modelcontextprotocol/core')
				? resolve(path, { resolveDir: dirname(require.resolve(MCP_CLIENT)), kind })
				: undefined,
		);
	},
};

/** Removes what an earlier build left: the tarball must hold nothing else. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Copies icons, codex files and output schemas beside the compiled nodes. */
function copyAssets() {
	const assets = ['nodes/**/*.{svg,png,node.json}', 'nodes/**/__schema__/**/*.json'];
	return src([...assets, 'credentials/**/*.{svg,png}'], {
		base: '.',
		encoding: false,
		allowEmpty: true,
	}).pipe(dest('dist'));
}

/** Puts each library, with its licence, into the one module that imports it. */
async function bundle() {
	for (const name of BUNDLED) {
		const { outputFiles, metafile } = await build({
			entryPoints: [`${name}.ts`],
			bundle: true,
			platform: 'node',
			target: 'node20',
			format: 'cjs',
			legalComments: 'none',
			// The MCP SDK for workerd validates schemas without making code at run time.
			conditions: ['workerd'],
			// The paths there are for types only.
			tsconfigRaw: {},
			metafile: true,
			external: NEVER_TAKEN,
			plugins: [ownModulesStayApart, oneZod],
			write: false,
		});
		// What was left out as unused is no part of the bundle.
		const [{ inputs }] = Object.values(metafile.outputs);
		const notices = await licences(Object.keys(inputs));
		await writeFile(`dist/${name}.js`, `/*!\n${notices}\n*/\n${outputFiles[0].text}`);
		// The map of the unbundled module would point at the wrong lines.
		await rm(`dist/${name}.js.map`, { force: true });
	}
}

/** Gives back the licences of the packages that some files belong to. */
async function licences(files) {
	const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
	const texts = [...new Set(folders.filter(Boolean))].map(async (folder) => {
		const names = ['LICENSE', 'LICENSE.md', 'license', 'LICENCE', 'LICENSE.txt', 'README.md'];
		const file = names.map((name) => join(folder, name)).find(existsSync);
		const text = file && (await readFile(file, 'utf8'));
		// Some say it in their README only.
		const licence = file?.endsWith('README.md') ? /^## licen[cs]e$(.*)/ims.exec(text)?.[1] : text;
		if (!licence) throw new Error(`${folder} has no licence to ship`);
		return `Contains ${folder.replace(/^.*node_modules\//, '')}.\n${licence.trim()}`;
	});
	return (await Promise.all(texts)).join('\n\n').replaceAll('*/', '* /');
}

exports.clean = clean;
exports.build = parallel(copyAssets, bundle);
