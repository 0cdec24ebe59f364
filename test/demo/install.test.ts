import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { assertSpace, explainNpm, installPackages } from '../../examples/demo/install';
import { assertRegistryAnswers } from '../../examples/demo/registry';

const NPM_AT_MOST_MS = 60_000;
const PATIENCE_MS = 2_000;

let folder: string;
let servers: Server[];
const before = { ...process.env };

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'agent-skills-install-'));
	servers = [];
	write({
		lockfileVersion: 3,
		packages: { '': {}, 'node_modules/left-pad': { version: '1.3.0' } },
	});
	process.env.npm_config_cache = join(folder, 'cache');
	process.env.npm_config_noproxy = '127.0.0.1';
});

afterEach(async () => {
	process.env = { ...before };
	for (const server of servers) {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
	rmSync(folder, { recursive: true, force: true });
});

/** Writes what npm is to install: one package, by a lock file like that of n8n. */
function write(lock: unknown): void {
	const dependencies = { 'left-pad': '1.3.0' };
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', dependencies }));
	const text = typeof lock === 'string' ? lock : JSON.stringify(lock);
	writeFileSync(join(folder, 'package-lock.json'), text);
}

/** Lets npm ask a registry that answers like this. */
async function useRegistry(answer: RequestListener): Promise<string[]> {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? '');
		answer(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	servers.push(server);
	const { port } = server.address() as AddressInfo;
	process.env.npm_config_registry = `http://127.0.0.1:${port}/`;
	return asked;
}

describe('an install of n8n', () => {
	it(
		'without a network says so at once, with the reason',
		async () => {
			process.env.npm_config_registry = 'http://127.0.0.1:9/';
			await expect(installPackages(folder)).rejects.toThrow(
				/^The npm registry could not be reached\. Check the network.*\n.*ECONNREFUSED/,
			);
		},
		NPM_AT_MOST_MS,
	);

	it(
		'gives up on a registry that never answers',
		async () => {
			const asked = await useRegistry(() => undefined);
			await expect(assertRegistryAnswers(folder, PATIENCE_MS)).rejects.toThrow(
				'The npm registry could not be reached',
			);
			expect(asked).toEqual(['/-/ping']);
		},
		NPM_AT_MOST_MS,
	);

	it.each([404, 500])(
		'goes on when the registry answers a ping with %d, and tells why npm failed',
		async (status) => {
			const asked = await useRegistry(({ url = '' }, response) => {
				response.writeHead(url === '/-/ping' ? status : 404).end('{}');
			});
			await expect(installPackages(folder)).rejects.toThrow(
				/^npm install failed; the next start tries again\.\n[^]*E404/,
			);
			expect(asked[0]).toBe('/-/ping');
			expect(asked.slice(1).join()).toContain('left-pad');
		},
		NPM_AT_MOST_MS,
	);

	it('refuses a damaged lock file, which npm would do without', async () => {
		write('{ "lockfileVersion": 3,');
		await expect(installPackages(folder)).rejects.toThrow(
			'package-lock.json, is damaged. Restore it: git checkout',
		);
	});
});

describe('the disk', () => {
	it('with too little space is named beforehand, with a way out', async () => {
		const message =
			/^Not enough disk space at .*: [\d.]+ GB free, n8n needs 1073741824\.0 GB\. Set AGENT_SKILLS_CACHE/;
		await expect(assertSpace(folder, 2 ** 60)).rejects.toThrow(message);
	});

	it('with space enough is no hindrance', async () => {
		await expect(assertSpace(folder, 1)).resolves.toBeUndefined();
	});
});

describe('what npm says is put into plain words', () => {
	it.each([
		['npm error code ENOSPC\nnpm error nospc', 'The disk became full'],
		['npm ERR! code EAI_AGAIN\nnpm ERR! reason: getaddrinfo', 'could not be reached'],
		['npm error code EACCES', 'Set AGENT_SKILLS_CACHE to a folder of yours'],
		['npm error code E404\nnpm error a network of packages', 'npm install failed'],
	])('%j', (output, expected) => {
		expect(explainNpm({ code: 1, output })).toContain(expected);
	});
});
