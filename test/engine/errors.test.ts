import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';

import { EXECUTION_SNAPSHOT_MS } from '../../nodes/core/limits';
import { Host } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, folders, load, picture, read, say, unload } from './support/picture';
import { beforeOpening } from './support/race';
import { skillFolder, type SkillFolder } from './support/skills';
import { storedSessions } from './support/stored';

let host: Host;
let skills: SkillFolder;

beforeEach(() => {
	host = new Host(compiledPackage());
	host.restart();
	skills = skillFolder();
	for (const name of ['alpha', 'beta', 'gamma']) skills.write(name);
});

afterEach(() => {
	jest.restoreAllMocks();
});

/** The error matrix of the implementation plan, section 4.4, row by row, through the node. */
describe.each(AGENT_WAYS)('%s', (_, agent) => {
	const flowWith = (loader = {}) => picture({ agent, loader, source: folders(skills.path) });

	describe('load_skill', () => {
		it('gives the instructions and lists the files (row: success)', async () => {
			skills.write('alpha', 'Rule of alpha, see {baseDir}/scripts/run.js', {
				'scripts/run.js': '',
				'references/guide.md': '',
				'assets/logo.svg': '',
				'notes.txt': '',
			});
			const { answers, status } = await say(host, flowWith(), [[load('alpha')]]);
			const dir = `${skills.path}/alpha`;
			expect(status).toBe('success');
			expect(answers[0]).toBe(
				`<skill_content name="alpha" dir="${dir}">
Rule of alpha, see ${dir}/scripts/run.js
</skill_content>

Skill Resources:
- [script] \`scripts/run.js\`
- [reference] \`references/guide.md\`
- [asset] \`assets/logo.svg\`
- [other] \`notes.txt\`
Paths are relative to the skill's dir. Read them with \`read_skill_file\`.`,
			);
		});

		it('says "not found" with the names there are (row: no such skill)', async () => {
			const { answers, status } = await say(host, flowWith(), [[load('delta')]]);
			expect(status).toBe('success');
			expect(answers[0]).toContain("Skill 'delta' not found");
			expect(answers[0]).toContain('Available skills: alpha, beta, gamma');
		});

		it('says "already loaded" the second time (row: loaded)', async () => {
			const { answers } = await say(host, flowWith(), [[load('alpha')], [load('alpha')]]);
			expect(answers[1]).toContain('already loaded');
			expect(answers[1]).not.toContain('Rule of alpha');
		});

		it('names the limit, what is loaded and unload_skill (row: budget)', async () => {
			const flow = flowWith({ maxLoadedSkills: 2 });
			const turns = [[load('alpha')], [load('beta')], [load('gamma')]];
			const { answers } = await say(host, flow, turns);
			expect(answers[2]).toContain('Maximum number of simultaneously loaded skills reached (2)');
			expect(answers[2]).toContain('Currently loaded: alpha, beta');
			expect(answers[2]).toContain('unload_skill');
			expect(answers[2]).not.toContain('Rule of gamma');
		});

		it.each([
			['is deleted', (path: string) => rmSync(path)],
			[
				'becomes a folder',
				(path: string) => {
					rmSync(path);
					mkdirSync(path);
				},
			],
			[
				'becomes a named pipe',
				(path: string) => {
					rmSync(path);
					execFileSync('mkfifo', [path]);
				},
			],
		])('says "Failed to read" when SKILL.md %s meanwhile (row: unreadable)', async (_what, act) => {
			const flow = flowWith();
			const path = skills.file('alpha');
			const turn = () => {
				beforeOpening(path, () => act(path));
				return [load('alpha')];
			};
			const { answers, status } = await say(host, flow, [turn, [load('beta')]]);
			expect(status).toBe('success');
			expect(answers[0]).toMatch(/^Error: Failed to read skill file at .*alpha\/SKILL\.md: \w+/);
			expect(answers[1]).toContain('Rule of beta.');
		});

		it('says "exceeds maximum size" when SKILL.md grows meanwhile (row: too large)', async () => {
			const path = skills.file('alpha');
			const turn = () => {
				beforeOpening(path, () => truncateSync(path, 10 * 1024 * 1024 + 1));
				return [load('alpha')];
			};
			const { answers } = await say(host, flowWith(), [turn]);
			expect(answers[0]).toContain('exceeds maximum size (10,485,760 bytes)');
		});

		it('says "Failed to decode" when SKILL.md turns binary meanwhile (row: encoding)', async () => {
			const path = skills.file('alpha');
			const turn = () => {
				beforeOpening(path, () => writeFileSync(path, Buffer.from([0x61, 0xff, 0xfe])));
				return [load('alpha')];
			};
			const { answers } = await say(host, flowWith(), [turn]);
			expect(answers[0]).toContain('Failed to decode');
			expect(answers[0]).toContain('byte 2 is not UTF-8');
		});

		it('takes no slot for a skill that it could not read', async () => {
			const path = skills.file('alpha');
			const turn = () => {
				beforeOpening(path, () => rmSync(path));
				return [load('alpha')];
			};
			const flow = flowWith({ maxLoadedSkills: 1 });
			await say(host, flow, [turn, [load('beta')]]);
			const names = storedSessions(host, flow).flatMap(({ loaded }) => loaded);
			expect(names.map(({ name }) => name)).toEqual(['beta']);
		});

		it('says what is wrong with a SKILL.md that could not be offered at all', async () => {
			truncateSync(skills.file('alpha'), 10 * 1024 * 1024 + 1);
			writeFileSync(skills.file('beta'), Buffer.from([0xff]));
			const reply = await say(host, flowWith(), [[load('alpha'), load('beta'), load('gamma')]]);
			expect(reply.system).toContain('<skills_load_warnings>');
			expect(reply.hints('Source').join(' ')).toContain('2 problems');
			expect(reply.answers[0]).toContain('exceeds maximum size');
			expect(reply.answers[1]).toContain('Failed to decode');
			expect(reply.answers[2]).toContain('Rule of gamma.');
		});
	});

	describe('unload_skill', () => {
		it('says "not currently loaded" with what is loaded (row: not loaded)', async () => {
			const { answers } = await say(host, flowWith(), [[load('alpha')], [unload('beta')]]);
			expect(answers[1]).toContain("Skill 'beta' is not currently loaded");
			expect(answers[1]).toContain('Currently loaded skills: alpha');
		});

		it('confirms with the number loaded and the free slots (row: success)', async () => {
			const flow = flowWith({ maxLoadedSkills: 3 });
			const turns = [[load('alpha'), load('beta')], [unload('alpha')]];
			const { answers, hints } = await say(host, flow, turns);
			expect(answers[2]).toContain("Skill 'alpha' has been unloaded");
			expect(answers[2]).toContain('Currently loaded: 1/3 (2 slots available)');
			expect(hints('Loader').at(-1)).toBe('The skill &quot;alpha&quot; has been unloaded.');
		});

		it('frees the slot for the next skill', async () => {
			const flow = flowWith({ maxLoadedSkills: 1 });
			const turns = [[load('alpha')], [unload('alpha')], [load('beta')]];
			const { answers } = await say(host, flow, turns);
			expect(answers[2]).toContain('Rule of beta.');
		});
	});

	it('answers that there is nothing yet when there is no skill at all', async () => {
		const empty = skillFolder();
		const flow = picture({ agent, source: folders(empty.path) });
		const search = { tool: 'search_skills', args: { query: 'anything' } };
		const { answers, tools } = await say(host, flow, [[load('alpha')], [search]]);
		expect(answers[0]).toContain('not found. There are no skills yet');
		expect(answers[1]).toContain('There are no skills yet');
		expect(tools).toHaveLength(4);
	});

	it('reads files of a skill, a missing one beside a good one, and none outside', async () => {
		skills.write('alpha', 'x', { 'references/guide.md': 'Guide text.' });
		const paths = ['references/guide.md', 'references/none.md', '../beta/SKILL.md', '/etc/passwd'];
		const { answers } = await say(host, flowWith(), [[read('alpha', ...paths)]]);
		expect(answers[0]).toContain('Guide text.');
		expect(answers[0]).toContain("no file 'references/none.md'");
		expect(answers[0]).toContain("The path '../beta/SKILL.md' is not allowed");
		expect(answers[0]).toContain("The path '/etc/passwd' is not allowed");
		expect(answers[0]).not.toMatch(/Rule of beta|root:/);
	});

	describe('when the source vanishes during the run that it is to fail', () => {
		const loadFromGone = async (laterMs: number) => {
			const now = Date.now();
			const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
			const failing = folders(skills.path, { onSourceError: 'fail' });
			const flow = picture({ agent, catalog: null, source: failing });
			const turn = () => {
				rmSync(skills.path, { recursive: true });
				clock.mockReturnValue(now + laterMs);
				return [load('alpha')];
			};
			const [{ executionStatus, data }] = (await say(host, flow, [turn])).runs('Loader');
			expect(executionStatus).toBe('success');
			return data?.ai_tool?.[0]?.[0].json.response;
		};

		it('says that the file is gone while it remembers what the source had', async () => {
			expect(await loadFromGone(EXECUTION_SNAPSHOT_MS - 1)).toBe(
				`Error: Failed to read skill file at ${skills.file('alpha')}: file not found`,
			);
		});

		it('says that there is no such folder, or no skill, once it has looked again', async () => {
			// AI Agent 3 makes the source anew for each call; the others keep the one they have.
			expect(await loadFromGone(EXECUTION_SNAPSHOT_MS)).toContain(
				agent === 'agentV3'
					? `The folder ${skills.path} does not exist.`
					: "Error: Skill 'alpha' not found. There are no skills yet.",
			);
		});
	});

	it('shows each call in the log of the Loader with its own hint only', async () => {
		const reply = await say(host, flowWith(), [[load('alpha')], [load('beta')], [load('none')]]);
		const hints = reply.runs('Loader').map((run) => run.hints?.map(({ message }) => message) ?? []);
		expect(hints).toEqual([
			['The skill &quot;alpha&quot; has been activated.'],
			['The skill &quot;beta&quot; has been activated.'],
			[],
		]);
	});

	it('never answers with a key "error", which would start retries', async () => {
		const reply = await say(host, flowWith(), [[load('none'), unload('none')]]);
		const outputs = reply.runs('Loader').flatMap((run) => run.data?.ai_tool?.[0] ?? []);
		expect(outputs.map(({ json }) => Object.keys(json))).toEqual([['response'], ['response']]);
	});
});
