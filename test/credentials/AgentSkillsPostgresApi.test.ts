import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AgentSkillsPostgresApi } from '../../credentials/AgentSkillsPostgresApi.credentials';
import { checkedSettings } from '../../nodes/core/library/postgres-settings';
import { POSTGRES_CREDENTIAL } from '../../nodes/shared/library/database';

const credential = new AgentSkillsPostgresApi();

describe('the Postgres credential', () => {
	it('is the one that the nodes ask for', () => {
		expect(credential.name).toBe(POSTGRES_CREDENTIAL);
	});

	it('hides the password in the form, and nothing else', () => {
		const hidden = credential.properties.filter(({ typeOptions }) => typeOptions?.password);
		expect(hidden.map(({ name }) => name)).toEqual(['password']);
	});

	it('has all that a connection needs, with defaults that are settings', () => {
		const defaults = Object.fromEntries(
			credential.properties.map(({ name, default: value }) => [name, value]),
		);
		expect(checkedSettings(defaults as never)).toEqual(defaults);
	});

	it('has an icon for light and dark', () => {
		const files = Object.values(credential.icon).map((icon) => icon.replace('file:', ''));
		const missing = files.filter((file) => !existsSync(join(__dirname, '../../credentials', file)));
		expect(new Set(files).size).toBe(2);
		expect(missing).toEqual([]);
	});
});
