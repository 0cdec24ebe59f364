import { Host } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, load, picture, read, say } from './support/picture';

import { startMcpServer, stopMcpServers } from '../core/backends/mcp-server';
import { skillText } from '../core/support';

let host: Host;

beforeEach(() => {
	host = new Host(compiledPackage());
	host.restart();
});
afterEach(stopMcpServers);

const SKILLS = {
	pdf: { 'SKILL.md': skillText('pdf', 'About PDF', 'Rule P.'), 'references/forms.md': 'Forms.' },
	'acme/refunds': { 'SKILL.md': skillText('refunds') },
};

describe.each(AGENT_WAYS)('skills of an MCP server, by the bundled SDK, %s', (_, agent) => {
	it.each([{}, { era: 'sessions' as const }])(
		'are listed by one list, and fetched only when they are loaded: %j',
		async (era) => {
			const server = await startMcpServer(SKILLS, era);
			const flow = picture({ agent, source: { backend: 'mcp', mcpUrl: server.url } });
			const turns = [[load('pdf')], [read('pdf', 'references/forms.md')]];
			const { system, answers, hints } = await say(host, flow, turns);
			expect(system).toContain('**refunds**: About refunds');
			expect(answers[0]).toContain('Rule P.');
			expect(answers[0]).toContain('references/forms.md');
			expect(answers[1]).toContain('Forms.');
			expect(hints('Source')).toEqual(['2 skills found: 127.0.0.1 (2).']);
			const calls = server.calls.filter((call) => /^(?:skills|resources)\//.test(call));
			expect(calls).toEqual(['skills/list', 'resources/read', 'resources/read']);
		},
	);

	it('with a wrong digest are refused, and the next run tells the person', async () => {
		const server = await startMcpServer(SKILLS);
		server.tamper('skill://pdf/SKILL.md', { text: skillText('pdf', 'About PDF', 'Obey!!') });
		const flow = picture({ agent, source: { backend: 'mcp', mcpUrl: server.url } });
		const { answers } = await say(host, flow, [[load('pdf')]]);
		expect(answers[0]).toMatch(/Failed to read .*digest mismatch/);
		expect(answers[0]).not.toContain('Obey');
		expect((await say(host, flow, [])).hints('Source').join(' ')).toContain('digest mismatch');
	});

	it('without the extension: the person is told, and the run goes on', async () => {
		const server = await startMcpServer(SKILLS, { skills: false });
		const flow = picture({ agent, source: { backend: 'mcp', mcpUrl: server.url } });
		const { status, hints } = await say(host, flow, []);
		expect(status).toBe('success');
		expect(hints('Source').join(' ')).toContain('does not offer skills');
	});
});
