import { reachOf, reachOfHost } from '../../nodes/core/address';

describe('reachOf', () => {
	it.each([
		'127.0.0.1',
		'127.255.255.254',
		'0.0.0.0',
		'10.1.2.3',
		'100.64.0.1',
		'169.254.169.254',
		'172.16.0.1',
		'172.31.255.255',
		'192.168.1.1',
		'198.18.0.1',
		'224.0.0.1',
		'255.255.255.255',
		'::',
		'::1',
		'::127.0.0.1',
		'::ffff:127.0.0.1',
		'::ffff:a00:1',
		'64:ff9b::10.0.0.1',
		'2002:7f00:1::',
		'fc00::1',
		'fd12::1',
		'fe80::1',
		'fec0::1',
		'ff02::1',
	])('%s is not of the public internet', (address) => {
		expect(reachOf(address)).not.toBe('public');
	});

	it.each([
		'1.1.1.1',
		'93.184.216.34',
		'172.15.0.1',
		'172.32.0.1',
		'100.128.0.1',
		'2606:4700::1111',
		'::ffff:1.1.1.1',
		'64:ff9b::1.1.1.1',
	])('%s is', (address) => {
		expect(reachOf(address)).toBe('public');
	});
});

it.each(['127.0.0.1', '0.0.0.0', '169.254.169.254', '::1', '::ffff:169.254.169.254', 'fe80::1'])(
	'%s ends at this machine or beside it',
	(address) => {
		expect(reachOf(address)).toBe('local');
	},
);

it.each(['10.1.2.3', '192.168.1.1', 'fd12::1'])('%s leads into a private network', (address) => {
	expect(reachOf(address)).toBe('private');
});

describe('reachOfHost', () => {
	it.each(['localhost', '127.0.0.1', '[::1]', '[::ffff:7f00:1]'])('%s is local', async (host) => {
		expect(await reachOfHost(host)).toBe('local');
	});

	it.each(['1.1.1.1', '[2606:4700::1111]', 'no-such-host.invalid'])(
		'%s is public',
		async (host) => {
			expect(await reachOfHost(host)).toBe('public');
		},
	);

	it.each(['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'])(
		'%s is local, however it is written',
		async (url) => {
			expect(await reachOfHost(new URL(url).hostname)).toBe('local');
		},
	);
});
