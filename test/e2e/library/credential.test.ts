import { freePort, LOOPBACK } from '../../../examples/demo/ports';
import { startPostgres, type PostgresServer } from '../../library/support/server';
import { openBench, type Bench } from '../support/bench';

const TYPE = 'agentSkillsPostgresApi';

let bench: Bench;
let server: PostgresServer;

beforeAll(async () => {
	[bench, server] = await Promise.all([openBench(), startPostgres()]);
});

afterAll(async () => {
	await server.stop();
	await bench.close();
});

it.each<[string, () => Promise<object>, { status: string; message: unknown }]>([
	[
		'says which schema is used',
		async () => ({}),
		{ status: 'OK', message: 'Connected. The library will be made in the schema "agent_skills".' },
	],
	[
		'says that the password is wrong',
		async () => ({ password: 'wrong' }),
		{ status: 'Error', message: expect.stringContaining('Check user and password') },
	],
	[
		'says that nothing answers',
		async () => ({ host: LOOPBACK, port: await freePort() }),
		{ status: 'Error', message: expect.stringContaining('nothing answers there') },
	],
])('the test of the Postgres credential %s', async (_, change, expected) => {
	const data = { ...server.settings, ...(await change()) };
	const id = await bench.client.createCredential('Postgres', TYPE, data);
	expect(await bench.client.testCredential(id, TYPE, data)).toMatchObject(expected);
});
