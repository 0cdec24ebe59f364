import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Locator, type Page, selectors } from 'playwright-core';

import { REPOSITORY } from '../../../examples/demo/pack';
import { OWNER } from './bench';
import { readWorld } from './world';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL = 'apt-get install -y chromium';
const INSTALL_AT_MOST_MS = 300_000;
const ACTION_AT_MOST_MS = 15_000;
// Longer than the list that is leaving takes to be gone.
const SLIDING_MS = 600;
const VIEWPORT = { width: 1440, height: 900 };

// Without these, Chromium looks for its maker's servers at every start.
const QUIET = [
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Where screenshots go. */
export const SCREENSHOTS = join(REPOSITORY, 'test-results', 'screenshots');

/** n8n's editor in a real browser, signed in. */
export interface Editor {
	page: Page;
	/** The errors that the page has logged since the last call. */
	takeErrors(): string[];
	/** Opens a workflow and waits until its nodes are drawn. */
	openWorkflow(id: string): Promise<void>;
	/** A node on the canvas. */
	node(name: string): Locator;
	/** The "+" below or beside a node for a kind of connection. */
	plus(node: string, type: string): Locator;
	/** The names that the node creator offers once its lists have stopped sliding. */
	offered(): Promise<string[]>;
	/** Adds the named node from the open node creator. */
	add(name: string): Promise<void>;
	screenshot(name: string): Promise<void>;
	close(): Promise<void>;
}

/** Starts a browser and signs in on the shared n8n. */
export async function openEditor(): Promise<Editor> {
	selectors.setTestIdAttribute('data-test-id');
	const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
	const executablePath = findChromium();
	const browser = await chromium.launch({ executablePath, args: [...QUIET, ...sandbox] });
	const page = await browser.newPage({ viewport: VIEWPORT });
	page.setDefaultTimeout(ACTION_AT_MOST_MS);
	const { url } = readWorld();
	await page.goto(`${url}/signin`);
	await page.locator('input[name=emailOrLdapLoginId]').fill(OWNER.email);
	await page.locator('input[name=password]').fill(OWNER.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(/home|workflow/u);
	return createEditor(browser, page, url);
}

function createEditor(browser: Browser, page: Page, url: string): Editor {
	const errors: string[] = [];
	page.on('pageerror', (error) => errors.push(error.message));
	page.on('console', (message) => {
		const { url: from } = message.location();
		// The editor also asks servers outside, which are not there in every test environment, and
		// asks for the output schema of every node, where "none" is an answer.
		const foreign = from !== '' && (!from.startsWith(url) || from.startsWith(`${url}/schemas/`));
		if (message.type() === 'error' && !foreign) errors.push(`${message.text()} ${from}`);
	});
	const names = page.getByTestId('node-creator-item-name');
	const node = (name: string) =>
		page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);
	return {
		page,
		node,
		takeErrors: () => errors.splice(0),
		async openWorkflow(id) {
			await page.goto(`${url}/workflow/${id}`);
			await page.getByTestId('canvas-node').first().waitFor();
			await page.getByTestId('zoom-to-fit').click();
		},
		plus: (name, type) =>
			node(name).locator(
				`[data-test-id=canvas-node-input-handle][data-connection-type=${type}] [data-test-id=canvas-handle-plus]`,
			),
		async offered() {
			await names.first().waitFor();
			for (let before: string[] = []; ; ) {
				const now = await names.allInnerTexts();
				if (now.length > 0 && now.join() === before.join()) return now;
				before = now;
				await page.waitForTimeout(SLIDING_MS);
			}
		},
		async add(name) {
			await names.getByText(name, { exact: true }).click();
			// A node from a package first shows what it is; where a sub-node is asked for, it does not.
			const confirm = page.getByText('Add to workflow');
			const panel = page.getByTestId('ndv');
			await confirm.or(panel).first().waitFor();
			if (await confirm.isVisible()) await confirm.click();
			await panel.waitFor();
		},
		async screenshot(name) {
			mkdirSync(SCREENSHOTS, { recursive: true });
			await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
		},
		close: async () => await browser.close(),
	};
}

function findChromium(): string {
	const found = lookForChromium();
	if (found !== null) return found;
	const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
	if (mayInstall) {
		const script = `apt-get update && ${INSTALL}`;
		spawnSync('sh', ['-c', script], { stdio: 'ignore', timeout: INSTALL_AT_MOST_MS });
	}
	const installed = lookForChromium();
	if (installed !== null) return installed;
	throw new Error(
		`The browser tests need Chromium. Install it (Debian, Ubuntu: sudo ${INSTALL}), ` +
			'or set CHROMIUM_PATH to a Chromium or Chrome that is there.',
	);
}

function lookForChromium(): string | null {
	const chosen = process.env.CHROMIUM_PATH;
	if (chosen !== undefined) return chosen;
	const folders = (process.env.PATH ?? '').split(':');
	const paths = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
	return paths.find((path) => existsSync(path)) ?? null;
}
