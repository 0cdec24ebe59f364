import {
	openPostgres,
	openPostgresSchema,
	testConnection,
} from '../../nodes/core/library/postgres';
import type { PostgresSettings } from '../../nodes/core/library/postgres-settings';
import { makeCertificates, type Certificates } from './support/certificates';
import { startPostgres, type PostgresServer } from './support/server';
import { ANN, newSkill } from './support/skills';

describe('a Postgres that speaks SSL, with a certificate for localhost', () => {
	let server: PostgresServer;
	let certificates: Certificates;

	beforeAll(async () => {
		server = await startPostgres();
		certificates = makeCertificates('localhost');
		const sql = await openPostgresSchema(server.settings);
		// One by one, and not in a transaction: Postgres wants it so.
		for (const statement of [
			`ALTER SYSTEM SET ssl_cert_file = '${certificates.certFile}'`,
			`ALTER SYSTEM SET ssl_key_file = '${certificates.keyFile}'`,
			'ALTER SYSTEM SET ssl = on',
			'SELECT pg_reload_conf()',
		]) {
			await sql.read(statement);
		}
		await sql.close();
	});
	afterAll(async () => {
		await server.stop();
		certificates.remove();
	});

	const settings = (more: Partial<PostgresSettings>): PostgresSettings => ({
		...server.settings,
		host: 'localhost',
		...more,
	});

	/** Whether the server says that this connection is encrypted. */
	async function isEncrypted(more: Partial<PostgresSettings>): Promise<unknown> {
		const sql = await openPostgresSchema(settings(more));
		const [row] = await sql.read('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
		await sql.close();
		return row.ssl;
	}

	it('is spoken to in the clear, encrypted, or verified, as the credential says', async () => {
		expect(await isEncrypted({ ssl: 'disable' })).toBe(false);
		expect(await isEncrypted({ ssl: 'require' })).toBe(true);
		expect(await isEncrypted({ ssl: 'require', host: '127.0.0.1' })).toBe(true);
		expect(await isEncrypted({ ssl: 'verify', ca: certificates.ca })).toBe(true);
	});

	it.each<[string, () => Partial<PostgresSettings>]>([
		['an authority that did not sign it', () => ({ ca: certificates.otherCa })],
		['no authority, as it is of none that the system knows', () => ({})],
		['another host than it is for', () => ({ ca: certificates.ca, host: '127.0.0.1' })],
	])('is refused with %s', async (_case, more) => {
		const refused = {
			code: 'database-unavailable',
			message: expect.stringContaining('certificate of the server is not trusted') as string,
			hint: expect.stringContaining('CA Certificate') as string,
		};
		const wanted = settings({ ssl: 'verify', ...more() });
		await expect(testConnection(wanted)).rejects.toMatchObject(refused);
		await expect(openPostgres(wanted)).rejects.toMatchObject(refused);
	});

	it('keeps a library', async () => {
		const database = await openPostgres(settings({ ssl: 'verify', ca: certificates.ca }));
		const made = await database.as(ANN).create(newSkill('one'));
		expect(await database.as(ANN).find({ name: 'one' })).toEqual(made);
		await database.close();
	});
});
