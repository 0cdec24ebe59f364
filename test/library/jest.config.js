/** The tests of the Skill Library: a real Postgres server for all files, and the Node.js of n8n. */
module.exports = {
	displayName: 'library',
	rootDir: '../..',
	testMatch: ['<rootDir>/test/library/**/*.test.ts'],
	testEnvironment: 'node',
	globalSetup: '<rootDir>/test/library/support/setup.ts',
	globalTeardown: '<rootDir>/test/library/support/teardown.ts',
	setupFilesAfterEnv: ['<rootDir>/test/library/support/timeout.ts'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false }],
	},
	modulePathIgnorePatterns: ['<rootDir>/.n8n-demo/', '<rootDir>/bench/'],
};
