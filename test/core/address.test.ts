import { isPrivateAddress, resolvesToPrivate } from '../../nodes/core/address';

describe('isPrivateAddress', () => {
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
		expect(isPrivateAddress(address)).toBe(true);
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
		expect(isPrivateAddress(address)).toBe(false);
	});
});

describe('resolvesToPrivate', () => {
	it.each(['localhost', '127.0.0.1', '[::1]', '[::ffff:7f00:1]'])('%s does', async (host) => {
		expect(await resolvesToPrivate(host)).toBe(true);
	});

	it.each(['1.1.1.1', '[2606:4700::1111]', 'no-such-host.invalid'])('%s does not', async (host) => {
		expect(await resolvesToPrivate(host)).toBe(false);
	});

	it.each(['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'])(
		'%s does, however it is written',
		async (url) => {
			expect(await resolvesToPrivate(new URL(url).hostname)).toBe(true);
		},
	);
});
