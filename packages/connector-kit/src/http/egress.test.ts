import { describe, expect, it } from 'vitest'
import { createEgressPolicy } from './egress.ts'

const refused = [
  ['loopback', '127.0.0.1'],
  ['loopback, another', '127.255.255.254'],
  ['this network', '0.0.0.0'],
  ['this network, another', '0.1.2.3'],
  ['private 10', '10.0.0.1'],
  ['private 172.16', '172.31.255.255'],
  ['private 192.168', '192.168.1.1'],
  ['link-local, cloud metadata', '169.254.169.254'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT, metadata', '100.100.100.200'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['benchmarking', '198.18.0.1'],
  ['documentation', '192.0.2.1'],
  ['protocol assignments', '192.0.0.192'],
  ['IPv6 loopback', '::1'],
  ['IPv6 unspecified', '::'],
  ['IPv6 unique local', 'fd00:ec2::254'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local with zone', 'fe80::1%eth0'],
  ['IPv6 multicast', 'ff02::1'],
  ['IPv6 site-local', 'fec0::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped in hex', '::ffff:7f00:1'],
  ['IPv4-mapped metadata', '::ffff:a9fe:a9fe'],
  ['IPv4-compatible', '::7f00:1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64 private', '64:ff9b::10.0.0.1'],
  ['NAT64 local use', '64:ff9b:1::a00:1'],
  ['6to4 of a private address', '2002:a00:1::1'],
  ['in brackets', '[::1]'],
  ['octal', '0177.0.0.1'],
  ['short form', '127.1'],
  ['a number', '2130706433'],
  ['not an address', 'localhost'],
  ['nothing', ''],
] as const

describe('the egress policy', () => {
  it.each(refused)('the egress policy blocks %s (%s)', (_name, address) => {
    expect(createEgressPolicy().allows(address)).toBe(false)
  })

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('the egress policy allows %s', (address) => {
    expect(createEgressPolicy().allows(address)).toBe(true)
  })

  it('the egress policy opens exactly the allowed networks', () => {
    const policy = createEgressPolicy({ allow: ['127.0.0.0/8', 'fd12::/16'] })
    expect(policy.allows('127.0.0.1')).toBe(true)
    expect(policy.allows('::ffff:127.0.0.1')).toBe(true)
    expect(policy.allows('fd12::1')).toBe(true)
    expect(policy.allows('fd13::1')).toBe(false)
    expect(policy.allows('10.0.0.1')).toBe(false)
    expect(policy.allows('169.254.169.254')).toBe(false)
  })

  it.each([
    ['most clouds', '169.254.169.254'],
    ['containers of AWS', '169.254.170.2'],
    ['Tencent', '169.254.0.23'],
    ['Azure', '168.63.129.16'],
    ['Alibaba', '100.100.100.200'],
    ['Oracle', '192.0.0.192'],
    ['Volcengine', '100.96.0.96'],
    ['AWS over IPv6', 'fd00:ec2::254'],
    ['AWS over IPv6, written in full', '[FD00:0EC2:0000:0000:0000:0000:0000:0254]'],
    ['Google over IPv6', 'fd20:ce::254'],
    ['Oracle over IPv6', 'fd00:c1::a9fe:a9fe'],
    ['OpenStack over IPv6', 'fe80::a9fe:a9fe%eth0'],
    ['Azure, IPv4-mapped', '::ffff:168.63.129.16'],
    ['Azure, IPv4-mapped in hex', '::ffff:a83f:8110'],
    ['Azure, IPv4-compatible', '::a83f:8110'],
    ['Azure, IPv4-translated', '::ffff:0:a83f:8110'],
    ['Azure, NAT64', '64:ff9b::a83f:8110'],
    ['Azure, NAT64 for local use', '64:ff9b:1::a83f:8110'],
    ['Azure, NAT64 under 48 bits', '64:ff9b:1:a83f:81:1000::'],
    ['Azure, 6to4', '2002:a83f:8110::1'],
    ['Azure, Teredo', '2001:0:a83f:8110::1'],
    ['Azure, ISATAP', '2606:4700::5efe:a83f:8110'],
    ['most clouds, 6to4', '2002:a9fe:a9fe::1'],
  ])('the egress policy blocks the metadata address of %s (%s), however wide the allowed network', (_, address) => {
    expect(createEgressPolicy().allows(address)).toBe(false)
    expect(createEgressPolicy({ allow: ['0.0.0.0/0', '::/0'] }).allows(address)).toBe(false)
    expect(createEgressPolicy({ allow: ['168.63.129.16/32', 'fd00::/8', '169.254.0.0/16'] }).allows(address)).toBe(
      false,
    )
  })

  it('a wide allowed network opens every address except those of metadata services', () => {
    const policy = createEgressPolicy({ allow: ['0.0.0.0/0', '::/0'] })
    // Public addresses that only look similar are also allowed.
    for (const address of ['2606:a83f:8110::1', '2606:4700:a83f:8110::1', '2606:4700::a83f:8110'])
      expect([address, policy.allows(address), createEgressPolicy().allows(address)]).toEqual([address, true, true])
    for (const address of ['127.0.0.1', '10.0.0.1', '100.64.0.1', '168.63.129.17', '::1', 'fd12::1'])
      expect(policy.allows(address)).toBe(true)
  })

  it('the egress policy does not start with a network that it cannot parse', () => {
    expect(() => createEgressPolicy({ allow: ['127.0.0.1'] })).toThrow('CIDR')
  })
})
