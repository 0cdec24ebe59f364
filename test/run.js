/** Runs every check and test, and ends with one line "N passed, N failed". */
const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '..');
const reports = mkdtempSync(join(tmpdir(), 'agent-skills-reports-'));
const bin = (name) => join(root, 'node_modules', '.bin', name);
// The library needs the Node.js of n8n, and what is covered is counted over all tiers.
const onNodeOfN8n = ['-P', 'examples/demo/tsconfig.json', 'test/library/support/run.ts'];
const inProcess = ['--selectProjects', 'unit', 'engine', 'library'];
let passed = 0;
let failed = 0;

/** Runs a command in the foreground and gives back whether it succeeded. */
function run(title, command, args) {
	console.log(`\n── ${title}`);
	const { status, error } = spawnSync(command, args, {
		cwd: root,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (error) console.error(error.message);
	return status === 0;
}

/** Runs a check that counts as one test. */
function check(title, command, args) {
	const ok = run(title, command, args);
	if (ok) passed++;
	else failed++;
	return ok;
}

/** Runs Jest and counts its tests; a run that fails without a failed test counts as one. */
function jest(title, command, args) {
	const report = join(reports, `${title}.json`);
	const ok = run(title, command, [...args, '--json', `--outputFile=${report}`]);
	let failures = 0;
	try {
		const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(
			readFileSync(report, 'utf8'),
		);
		passed += numPassedTests;
		failures = Math.max(numFailedTests, numFailedTestSuites);
	} catch {
		console.error(`${title}: Jest gave no report.`);
	}
	failed += ok ? 0 : Math.max(failures, 1);
}

if (check('build', 'npm', ['run', '--silent', 'build'])) {
	check('lint', bin('eslint'), ['.', '--max-warnings=0']);
	check('format', bin('prettier'), ['--check', '.']);
	check('types', 'npm', ['run', '--silent', 'types']);
	jest('unit, engine and library', bin('ts-node'), [...onNodeOfN8n, ...inProcess, '--coverage']);
	jest('end to end', bin('jest'), ['--selectProjects', 'e2e', '--runInBand']);
}
rmSync(reports, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
