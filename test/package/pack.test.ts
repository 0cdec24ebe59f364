import { execFileSync } from 'node:child_process';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');
/** All that n8n gives a community node at run time, by its NODE_PATH. */
const GIVEN_BY_N8N = ['n8n-workflow', 'zod', '@langchain/core'];

interface Manifest {
	name: string;
	keywords: string[];
	license: string;
	scripts: Record<string, string>;
	dependencies?: object;
	peerDependencies: object;
	n8n: { nodes: string[]; credentials: string[] };
}

let folder: string;
let unpacked: string;
let files: string[];
let manifest: Manifest;

beforeAll(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-skills-pack-')));
	execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
	const [tarball] = readdirSync(folder);
	execFileSync('tar', ['-xzf', join(folder, tarball), '-C', folder]);
	unpacked = join(folder, 'package');
	files = (readdirSync(unpacked, { recursive: true, withFileTypes: true }) ?? [])
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1));
	manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script beside the unpacked package, with nothing but the given modules to be found. */
function runInside(script: string, modules: string[]): string {
	const nodePath = mkdtempSync(join(folder, 'modules-'));
	for (const name of modules) {
		mkdirSync(dirname(join(nodePath, name)), { recursive: true });
		symlinkSync(join(ROOT, 'node_modules', name), join(nodePath, name));
	}
	return execFileSync(process.execPath, ['-e', script], {
		cwd: unpacked,
		env: { PATH: process.env.PATH, NODE_PATH: nodePath },
		encoding: 'utf8',
		stdio: 'pipe',
	});
}

const LOAD_ALL = `
	const { n8n } = require('./package.json');
	const loaded = n8n.nodes.map((path) => {
		const classes = require('./' + path);
		const [name] = path.split('/').pop().split('.');
		return new classes[name]().description.name;
	});
	console.log(JSON.stringify(loaded));`;

describe('the tarball', () => {
	it('loads all nodes where nothing but what n8n gives is to be found', () => {
		expect(JSON.parse(runInside(LOAD_ALL, GIVEN_BY_N8N))).toEqual([
			'skillsSource',
			'skillCatalogPrompt',
			'skillLoader',
			'skillLibrary',
			'skillLibraryTrigger',
		]);
	});

	it('really lay alone in that test', () => {
		expect(() => runInside("require('yaml')", GIVEN_BY_N8N)).toThrow(/Cannot find module 'yaml'/);
		expect(() => runInside(LOAD_ALL, [])).toThrow(/Cannot find module/);
	});

	it('brings the YAML parser along', () => {
		const script = `
			const { parseSkill } = require('./dist/nodes/core/skill.js');
			const text = '---\\nname: alpha\\ndescription: >-\\n  Folded\\n  text\\n---\\nBody';
			console.log(parseSkill(Buffer.from(text), '/alpha/SKILL.md').fields.description);`;
		expect(runInside(script, ['zod']).trim()).toBe('Folded text');
	});

	it('holds what runs, and the texts of a package, nothing else', () => {
		const other = files.filter(
			(file) => !/^dist\/(?:nodes|credentials)\//.test(file) && !/^[A-Z]+(?:\.md)?$/.test(file),
		);
		expect(other).toEqual(['package.json']);
		expect(files).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE']));
	});

	it('holds no tests and no sources', () => {
		const kinds = files.filter((file) => file.startsWith('dist/'));
		const allowed =
			/\.(?:js|js\.map|d\.ts|svg|png|node\.json)$|\/__schema__\/v[\d./a-zA-Z]+\.json$/;
		expect(kinds.filter((file) => !allowed.test(file))).toEqual([]);
		expect(kinds.filter((file) => /test|fixture|\.spec\./.test(file))).toEqual([]);
	});

	it('holds nothing that an earlier build left behind', () => {
		const left = files.filter((file) => {
			const source = file.replace(/^dist\//, '').replace(/(?:\.d\.ts|\.js\.map|\.js)$/, '.ts');
			return file.startsWith('dist/') && !existsSync(join(ROOT, source));
		});
		expect(left).toEqual([]);
	});

	it('holds icon, dark icon and codex of every node', () => {
		const missing = manifest.n8n.nodes.flatMap((path) => {
			const dir = dirname(path);
			const icons = files.filter((file) => dirname(file) === dir && file.endsWith('.svg'));
			const codex = path.replace(/\.js$/, '.json');
			return icons.length === 2 && files.includes(codex) ? [] : path;
		});
		expect(missing).toEqual([]);
	});

	it('names the licence of yaml, which it contains', () => {
		const licence = readFileSync(join(unpacked, 'LICENSE'), 'utf8');
		const notice = readFileSync(join(ROOT, 'node_modules/yaml/LICENSE'), 'utf8');
		const words = (text: string) => text.replace(/\s+/g, ' ').trim();
		expect(licence).toContain('MIT License');
		expect(words(licence)).toContain(words(notice));
		expect(readFileSync(join(unpacked, 'dist/nodes/core/yaml.js'), 'utf8')).toContain(
			notice.split('\n')[0],
		);
	});
});

describe('package.json', () => {
	it('has the name and the keyword by which n8n finds community nodes', () => {
		expect(manifest.name).toBe('n8n-nodes-agent-skills');
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.license).toBe('MIT');
	});

	it("has no dependencies, and no peer but n8n's own", () => {
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest).not.toHaveProperty('optionalDependencies');
		expect(manifest).not.toHaveProperty('bundledDependencies');
		expect(manifest).not.toHaveProperty('overrides');
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('runs nothing when it is installed', () => {
		const lifecycle = /^(?:pre|post)?(?:install|prepare|pack|publish|uninstall)|^prepublishOnly$/;
		expect(Object.keys(manifest.scripts).filter((name) => lifecycle.test(name))).toEqual([]);
	});
});
