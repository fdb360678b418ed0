import ipaddr from 'ipaddr.js'

/**
 * What limits take for one place: an IPv4 address, or the /64 of an IPv6 address, of which every connection has 2^64 to
 * itself. What is no address stands for itself.
 */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address) || address.includes('.')) return address
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}
