import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// n8n's rules for packages that do not run on n8n Cloud: ours reads files.
const community = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

const NODES = [
	'SkillsSource',
	'SkillCatalogPrompt',
	'SkillLoaderTool',
	'SkillLibrary',
	'SkillLibraryTrigger',
];

/** Forbids imports from `from` in `target`, so that the layers point one way only. */
const zone = (target, from, message) => ({ target: `./nodes/${target}`, from, message });

export default tseslint.config(
	globalIgnores(['dist', 'coverage', 'examples/skills', '.n8n-demo', 'bench/node_modules']),
	{
		files: ['**/*.ts'],
		extends: [
			js.configs.recommended,
			tseslint.configs.recommended,
			importX.flatConfigs.recommended,
		],
		settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
		rules: {
			'no-control-regex': 'off',
			'no-misleading-character-class': 'off',
			'import-x/no-cycle': 'error',
			'import-x/no-default-export': 'error',
			'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		extends: [community],
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: {
			'no-console': 'error',
			'import-x/no-restricted-paths': [
				'error',
				{
					zones: [
						zone('core', './nodes/shared', 'The core knows nothing of n8n.'),
						zone('core', './node_modules/n8n-workflow', 'The core knows nothing of n8n.'),
						zone('core', './node_modules/n8n-core', 'The core knows nothing of n8n.'),
						zone('core', './node_modules/@langchain', 'The core knows nothing of LangChain.'),
						...['core', 'shared'].flatMap((layer) =>
							NODES.map((node) =>
								zone(layer, `./nodes/${node}`, 'Nodes import the layers below, not the reverse.'),
							),
						),
						zone('core/backends', './nodes/core/registry.ts', 'A backend only lists and reads.'),
					],
				},
			],
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...nodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		// The type name must not contain "tool" (the editor would show a false hint on every run).
		files: ['nodes/SkillLoaderTool/SkillLoaderTool.node.ts'],
		rules: { 'n8n-nodes-base/node-filename-against-convention': 'off' },
	},
	{
		// The core and its port to HTTP have errors of their own, which become diagnostics.
		files: ['nodes/core/**/*.ts', 'nodes/shared/http.ts', 'nodes/shared/sources/*.ts'],
		rules: { '@n8n/community-nodes/require-node-api-error': 'off' },
	},
	{
		// Jest loads its global set-up by default export.
		files: ['test/{e2e,library}/support/{setup,teardown}.ts', '*.config.ts'],
		rules: { 'import-x/no-default-export': 'off' },
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...nodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['package.json'],
		extends: [community],
		plugins: { 'n8n-nodes-base': nodesBase },
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		rules: { ...nodesBase.configs.community.rules },
	},
	{
		files: ['**/*.js'],
		extends: [js.configs.recommended],
		languageOptions: {
			sourceType: 'commonjs',
			globals: {
				require: 'readonly',
				module: 'writable',
				exports: 'writable',
				process: 'readonly',
				console: 'readonly',
				performance: 'readonly',
				globalThis: 'readonly',
				__dirname: 'readonly',
			},
		},
	},
);
