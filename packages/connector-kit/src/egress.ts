import ipaddr from 'ipaddr.js'

/** Which addresses may be connected to. */
export type EgressPolicy = {
  /** True when a socket may be opened to the address (text of an IPv4 or IPv6 address). */
  allows: (address: string) => boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** 64:ff9b::/96 (RFC 6052) and 64:ff9b:1::/48 (RFC 8215) carry an IPv4 address in their last 32 bits. */
const nat64 = [ipaddr.parseCIDR('64:ff9b::/96'), ipaddr.parseCIDR('64:ff9b:1::/48')]
/** Beyond what ipaddr.js counts as special: the whole of "this network", former site-local, and IPv4-compatible. */
const alsoRefused = ['0.0.0.0/8', '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', 'fec0::/10', '::/96', '100::/64'].map(
  (range) => ipaddr.parseCIDR(range),
)

const inside = (address: Address, [network, bits]: [Address, number]): boolean =>
  address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4, number] & [ipaddr.IPv6, number])

/** The IPv4 address that an IPv6 one stands for (mapped, 6to4, NAT64, Teredo's server is not looked at), else itself. */
const unwrap = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const bytes = address.toByteArray()
  if (nat64.some((range) => inside(address, range))) return new ipaddr.IPv4(bytes.slice(12))
  // 6to4, RFC 3056: 2002:AABB:CCDD::/48 is routed to A.B.C.D.
  if (bytes[0] === 0x20 && bytes[1] === 0x02) return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

const parse = (text: string): Address | undefined => {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  const withoutZone = bare.split('%')[0] ?? bare
  // Four plain decimal parts only: ipaddr.js also reads octal and short forms, which resolvers read differently.
  if (!withoutZone.includes(':') && !/^(\d{1,3}\.){3}\d{1,3}$/.test(withoutZone)) return undefined
  return ipaddr.isValid(withoutZone) ? ipaddr.parse(withoutZone) : undefined
}

/**
 * A policy that lets sockets reach public unicast addresses and the given networks (CIDR), nothing else: private,
 * loopback, link-local (cloud metadata among them), carrier-grade NAT, multicast, reserved and unspecified addresses are
 * refused, also when written as IPv4-mapped, NAT64 or 6to4. Throws when a network of `allow` cannot be read.
 */
export const createEgressPolicy = (options: { allow?: readonly string[] } = {}): EgressPolicy => {
  const allowed = (options.allow ?? []).map((text) => {
    if (!ipaddr.isValidCIDR(text)) throw new Error(`Not a network in CIDR notation: ${text}`)
    return ipaddr.parseCIDR(text)
  })
  return {
    allows: (text) => {
      const literal = parse(text)
      if (literal === undefined) return false
      const address = unwrap(literal)
      if (allowed.some((range) => inside(address, range) || inside(literal, range))) return true
      return address.range() === 'unicast' && !alsoRefused.some((range) => inside(address, range))
    },
  }
}
