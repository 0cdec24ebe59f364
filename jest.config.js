/** One Jest project a tier: `npm run test:unit`, `test:engine`, `test:library`, `test:e2e`. */
const common = {
	testTimeout: 30_000,
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.n8n-demo/', '<rootDir>/bench/'],
};

module.exports = {
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	coverageReporters: ['text', 'text-summary', 'json-summary', 'lcovonly'],
	coverageThreshold: { global: { lines: 95, branches: 90 } },
	projects: [
		{
			...common,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/{core,shared,nodes,credentials,package,demo}/**/*.test.ts'],
		},
		{
			...common,
			displayName: 'engine',
			testMatch: ['<rootDir>/test/engine/**/*.test.ts'],
			modulePathIgnorePatterns: ['<rootDir>/.n8n-demo/', '<rootDir>/bench/'],
		},
		'<rootDir>/test/library/jest.config.js',
		'<rootDir>/test/e2e/jest.config.js',
	],
};
