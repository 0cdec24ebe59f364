import { createGithubBackend, type GithubOptions } from '../../../nodes/core/backends';
import type { SkillError } from '../../../nodes/core/errors';
import { createHttpClient } from '../../../nodes/core/http';
import { clearRegistryCache } from '../../../nodes/core/registry';
import { clearRemoteCache } from '../../../nodes/core/remote';
import type { SkillBackend, SkillSet } from '../../../nodes/core/types';
import type { Tree } from '../support';
import { GithubServer, plainExchange, type ServedRepository } from './github-server';

/** What a backend of a test may differ in. */
export interface Wish extends Partial<Omit<GithubOptions, 'repository' | 'client'>> {
	ref?: string;
	token?: string;
	name?: string;
}

/** A server for one test file; each test has a repository of its own on it. */
export class GithubBench {
	server!: GithubServer;
	/** Name of this test's repository, whose owner is "octo". */
	name = '';
	private count = 0;

	constructor() {
		beforeAll(async () => {
			this.server = await GithubServer.start();
		});
		afterAll(async () => await this.server.stop());
		beforeEach(() => {
			clearRemoteCache();
			clearRegistryCache();
			this.server.fault = null;
			this.server.remaining = 5000;
			this.server.requests.length = 0;
			this.name = `repo-${++this.count}`;
		});
	}

	/** Gives back this test's repository; without files it has no commit. */
	create(files?: Tree): ServedRepository {
		return this.server.create(`octo/${this.name}`, files);
	}

	/** Gives back a new backend over this test's repository. */
	open({ ref = '', token, name = this.name, ...more }: Wish = {}): SkillBackend {
		const { url: apiUrl } = this.server;
		// Without pauses between retries, which the tests of the client are about.
		const client = createHttpClient(plainExchange(token), apiUrl, undefined, async () => {});
		const repository = { apiUrl, owner: 'octo', name, ref };
		const given = { sources: ['/'], identity: token ?? '', refreshMs: 60_000, ...more };
		return createGithubBackend({ client, repository, ...given });
	}

	/** Gives back what was asked for since the last call: commits, trees and blobs. */
	kinds(): string[] {
		const paths = this.server.takePaths();
		return paths.map((path) => /\/(commits|trees|blobs)\//.exec(path)?.[1] ?? path);
	}

	/** Answers all requests whose path contains a text with this status, headers and body. */
	answerWith(
		status: number,
		headers: Record<string, string> = {},
		body: string | Buffer = '',
		part = '',
	): void {
		this.server.fault = ({ url = '' }, response) => {
			if (!url.includes(part)) return false;
			response.writeHead(status, headers).end(body);
			return true;
		};
	}
}

/** Gives back the names of the skills that are offered. */
export async function names(skills: SkillSet): Promise<string[]> {
	return (await skills.refresh()).skills.map(({ name }) => name);
}

/** Gives back the text of a file, or why there is none. */
export async function textOf(backend: SkillBackend, path: string): Promise<string> {
	const [result] = await backend.read([path], 1000);
	if ('error' in result) return `${result.error}: ${result.message}`;
	return Buffer.from(result.content).toString();
}

/** Gives back the error that some work ends with. */
export async function errorOf(work: Promise<unknown>): Promise<SkillError> {
	return await work.then(
		() => {
			throw new Error('It did not fail.');
		},
		(error: unknown) => error as SkillError,
	);
}
