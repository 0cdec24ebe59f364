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

/** Networks that end at this very machine, or at what a cloud puts beside it (its metadata). */
const LOCAL = new BlockList();
for (const [network, bits] of [
	['0.0.0.0', 8],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
] as const) {
	LOCAL.addSubnet(network, bits, 'ipv4');
	LOCAL.addSubnet(`::ffff:${network}`, 96 + bits, 'ipv6');
	LOCAL.addSubnet(`64:ff9b::${network}`, 96 + bits, 'ipv6');
}
LOCAL.addSubnet('::', 96, 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** Where an address leads: to the internet, into a private network, or to this very machine. */
export type Reach = 'public' | 'private' | 'local';

/** Gives back where an IP address leads. */
export function reachOf(address: string): Reach {
	const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
	if (LOCAL.check(address, family)) return 'local';
	return PRIVATE.check(address, family) ? 'private' : 'public';
}

/** Gives back the innermost place that a host name leads to; an unknown one counts as public. */
export async function reachOfHost(hostname: string): Promise<Reach> {
	const bare = hostname.replace(/^\[|\]$/g, '');
	if (isIP(bare) !== 0) return reachOf(bare);
	try {
		const all = (await lookup(bare, { all: true })).map(({ address }) => reachOf(address));
		return (['local', 'private'] as const).find((reach) => all.includes(reach)) ?? 'public';
	} catch {
		return 'public';
	}
}
