import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Networks that are not the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE = new BlockList();
for (const [network, bits] of [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['224.0.0.0', 3],
] as const) {
	PRIVATE.addSubnet(network, bits, 'ipv4');
	// The same networks as IPv6 writes them, and as a NAT64 gateway reaches them.
	PRIVATE.addSubnet(`::ffff:${network}`, 96 + bits, 'ipv6');
	PRIVATE.addSubnet(`64:ff9b::${network}`, 96 + bits, 'ipv6');
}
for (const [network, bits] of [
	['::', 96],
	['64:ff9b:1::', 48],
	['100::', 64],
	['2001::', 32],
	['2002::', 16],
	['fc00::', 7],
	['fe80::', 9],
	['ff00::', 8],
] as const) {
	PRIVATE.addSubnet(network, bits, 'ipv6');
}

/** Tells whether an IP address is not of the public internet. */
export function isPrivateAddress(address: string): boolean {
	return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Tells whether a host name leads to any address that is not public; an unknown one does not. */
export async function resolvesToPrivate(hostname: string): Promise<boolean> {
	const bare = hostname.replace(/^\[|\]$/g, '');
	if (isIP(bare) !== 0) return isPrivateAddress(bare);
	try {
		return (await lookup(bare, { all: true })).some(({ address }) => isPrivateAddress(address));
	} catch {
		return false;
	}
}
