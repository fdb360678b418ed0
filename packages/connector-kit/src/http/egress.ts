import ipaddr from 'ipaddr.js'

/** Decides to which addresses connections are allowed. */
export type EgressPolicy = {
  /** Whether a socket can be opened to the address (text of an IPv4 or IPv6 address). */
  allows: (address: string) => boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** 64:ff9b::/96 (RFC 6052) and 64:ff9b:1::/48 (RFC 8215) carry an IPv4 address in their last 32 bits. */
const nat64 = [ipaddr.parseCIDR('64:ff9b::/96'), ipaddr.parseCIDR('64:ff9b:1::/48')]
/**
 * Ranges that are blocked in addition to the special ranges of ipaddr.js. They include all of "this network", former
 * site-local, and IPv4-compatible addresses.
 */
const alsoRefused = ['0.0.0.0/8', '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', 'fec0::/10', '::/96', '100::/64'].map(
  (range) => ipaddr.parseCIDR(range),
)

/**
 * Addresses of cloud metadata services, which provide credentials. They are always blocked, even if an operator allows
 * the private network that contains them.
 */
const metadata = [
  // Link-local as a whole: 169.254.169.254 of most clouds, .170.2 and .170.23 of AWS' containers, .0.23 of Tencent,
  // .42.42 of Scaleway; fe80::a9fe:a9fe of OpenStack.
  '169.254.0.0/16',
  'fe80::/10',
  // Azure's WireServer, Alibaba, Oracle's older network, Volcengine: addresses outside the link-local range.
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '100.96.0.96/32',
  // AWS (instances, containers, resolver), Google, Oracle, Scaleway, Linode over IPv6.
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::/48',
].map((range) => ipaddr.parseCIDR(range))

const inside = (address: Address, [network, bits]: [Address, number]): boolean =>
  address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4, number] & [ipaddr.IPv6, number])

/**
 * Returns the IPv4 address that an IPv6 address contains (mapped, 6to4, NAT64; not Teredo), otherwise the address
 * itself.
 */
const unwrap = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const bytes = address.toByteArray()
  if (nat64.some((range) => inside(address, range))) return new ipaddr.IPv4(bytes.slice(12))
  // 6to4, RFC 3056: 2002:AABB:CCDD::/48 is routed to A.B.C.D.
  if (bytes[0] === 0x20 && bytes[1] === 0x02) return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

const lastFour = [12, 13, 14, 15]
/** Prefixes under which translators and tunnels embed an IPv4 address, and the positions of its bytes. */
const translated = (
  [
    // Compatible (RFC 4291, 2.5.5), mapped, and translated (RFC 2765, 2.1).
    ['::/96', [lastFour]],
    ['::ffff:0:0/96', [lastFour]],
    ['::ffff:0:0:0/96', [lastFour]],
    // NAT64 (RFC 6052), and for local use (RFC 8215) under 48 bits (RFC 6052, 2.2) or as a longer prefix.
    ['64:ff9b::/96', [lastFour]],
    ['64:ff9b:1::/48', [lastFour, [6, 7, 9, 10]]],
    // 6to4 (RFC 3056), Teredo's server (RFC 4380, 4).
    ['2002::/16', [[2, 3, 4, 5]]],
    ['2001::/32', [[4, 5, 6, 7]]],
  ] as const
).map(([prefix, places]) => ({ range: ipaddr.parseCIDR(prefix), places }))

/** Returns every IPv4 address that a translator or tunnel may read from an IPv6 address. */
const embedded = (address: Address): ipaddr.IPv4[] => {
  if (!(address instanceof ipaddr.IPv6)) return []
  const bytes = address.toByteArray()
  const at = (places: readonly number[]): ipaddr.IPv4 => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0))
  // ISATAP marks the second half (RFC 5214, 6.1), under any prefix.
  const isatap = ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return [
    ...translated.filter(({ range }) => inside(address, range)).flatMap(({ places }) => places.map(at)),
    ...(isatap ? [at(lastFour)] : []),
  ]
}

const isMetadata = (literal: Address): boolean =>
  [literal, ...embedded(literal)].some((address) => metadata.some((range) => inside(address, range)))

const parse = (text: string): Address | undefined => {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  const withoutZone = bare.split('%')[0] ?? bare
  // Only four decimal parts: ipaddr.js also parses octal and short forms, which resolvers parse differently.
  if (!withoutZone.includes(':') && !/^(\d{1,3}\.){3}\d{1,3}$/.test(withoutZone)) return undefined
  return ipaddr.isValid(withoutZone) ? ipaddr.parse(withoutZone) : undefined
}

/**
 * Creates a policy that allows sockets to public unicast addresses and to the given networks (CIDR), nothing else.
 * Blocks private, loopback, link-local (including cloud metadata), carrier-grade NAT, multicast, reserved and
 * unspecified addresses, also as IPv4-mapped, NAT64 or 6to4. Cloud metadata is always blocked, whatever `allow`
 * contains. Throws if a network of `allow` cannot be parsed.
 */
export const createEgressPolicy = (options: { allow?: readonly string[] } = {}): EgressPolicy => {
  const allowed = (options.allow ?? []).map((text) => {
    if (!ipaddr.isValidCIDR(text)) throw new Error(`Not a network in CIDR notation: ${text}`)
    return ipaddr.parseCIDR(text)
  })
  return {
    allows: (text) => {
      const literal = parse(text)
      if (literal === undefined || isMetadata(literal)) return false
      const address = unwrap(literal)
      if (allowed.some((range) => inside(address, range) || inside(literal, range))) return true
      return address.range() === 'unicast' && !alsoRefused.some((range) => inside(address, range))
    },
  }
}
