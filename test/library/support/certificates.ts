import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The user "nobody", as whom the servers of the tests run where the tests run as root. */
const NOBODY = 65534;

/** Certificates in a folder that a server of the tests may read. */
export interface Certificates {
	/** The authority that signed the server's certificate, and one that did not, as PEM. */
	ca: string;
	otherCa: string;
	certFile: string;
	keyFile: string;
	remove(): void;
}

/** Makes a certificate for a host, signed by an authority of its own. */
export function makeCertificates(host: string): Certificates {
	const folder = mkdtempSync(join(tmpdir(), 'agent-skills-certificates-'));
	const file = (name: string) => join(folder, name);
	const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
	const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
	for (const name of ['ca', 'other']) {
		const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
		openssl('req', '-x509', ...key, ...files, '-days', '2', '-subj', `/CN=Test ${name}`);
	}
	const request = ['-keyout', file('server.key'), '-out', file('server.csr')];
	openssl('req', ...key, ...request, '-subj', `/CN=${host}`);
	writeFileSync(file('server.ext'), `subjectAltName=DNS:${host}`);
	const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
	const signed = ['-in', file('server.csr'), '-out', file('server.pem')];
	openssl('x509', '-req', ...signed, ...signer, '-days', '2', '-extfile', file('server.ext'));
	chmodSync(folder, 0o755);
	// Postgres takes no key that others may read.
	chmodSync(file('server.key'), 0o600);
	if (process.getuid?.() === 0) chownSync(file('server.key'), NOBODY, NOBODY);
	return {
		ca: readFileSync(file('ca.pem'), 'utf8'),
		otherCa: readFileSync(file('other.pem'), 'utf8'),
		certFile: file('server.pem'),
		keyFile: file('server.key'),
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}
