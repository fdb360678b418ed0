import ipaddr from 'ipaddr.js'

/**
 * Returns the unit by which limits count clients: an IPv4 address, or the /64 of an IPv6 address, because each
 * connection has 2^64 addresses. A text that is not an IP address stands for itself.
 */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address) || address.includes('.')) return address
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/**
 * Returns the larger network of an IP address: the /24 of an IPv4 address, the /48 of an IPv6 address. A text that is
 * not an IP address stands for itself.
 */
export const networkClassOf = (address: string): string => {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  if (!ipaddr.IPv6.isValid(address) || address.includes('.')) return address
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 3)
  return `${groups.map((group) => group.toString(16)).join(':')}::/48`
}
