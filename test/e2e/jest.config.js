/** The end-to-end tests: a real n8n, started once for all files. */
module.exports = {
	displayName: 'e2e',
	rootDir: '../..',
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testEnvironment: 'node',
	globalSetup: '<rootDir>/test/e2e/support/setup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/teardown.ts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/timeout.ts'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/e2e/tsconfig.json', diagnostics: false }],
	},
};
