const { rm, writeFile, readFile } = require('node:fs/promises');
const { build } = require('esbuild');
const { dest, parallel, src } = require('gulp');

const YAML_MODULE = 'dist/nodes/core/yaml.js';

/** Removes what an earlier build left: the tarball must hold nothing else. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Copies icons and codex files beside the compiled nodes. */
function copyAssets() {
	return src(['nodes/**/*.{svg,png,node.json}', 'credentials/**/*.{svg,png}'], {
		base: '.',
		encoding: false,
		allowEmpty: true,
	}).pipe(dest('dist'));
}

/** Puts `yaml` into the one module that imports it: the package has no dependencies. */
async function bundleYaml() {
	const { outputFiles } = await build({
		entryPoints: ['nodes/core/yaml.ts'],
		bundle: true,
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		legalComments: 'none',
		write: false,
	});
	const notice = (await readFile('node_modules/yaml/LICENSE', 'utf8')).trim();
	await writeFile(YAML_MODULE, `/*! Contains yaml.\n${notice}\n*/\n${outputFiles[0].text}`);
	// The map of the unbundled module would point at the wrong lines.
	await rm(`${YAML_MODULE}.map`, { force: true });
}

exports.clean = clean;
exports.build = parallel(copyAssets, bundleYaml);
