import { Resolver } from 'node:dns/promises'

/**
 * The answer of the DNS: the records, or the reason why it is unknown whether there are any. For example, no server
 * responds.
 */
export type DnsAnswer = { records: readonly string[] } | { unknown: string }

/** Looks up records. Never rejects, and takes at most a few seconds. */
export type Dns = {
  txt(name: string): Promise<DnsAnswer>
  cname(name: string): Promise<DnsAnswer>
}

/** Error codes with which a DNS server says that a name has no such records. */
const absent: readonly string[] = ['ENOTFOUND', 'ENODATA']

/** Maximum number of records of a name that are read, and maximum number of characters of each record. */
const maxRecords = 100
const maxLength = 1000

const answerOf = async (ask: Promise<readonly string[]>): Promise<DnsAnswer> => {
  try {
    return { records: (await ask).slice(0, maxRecords).map((text) => text.slice(0, maxLength)) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return absent.includes(code) ? { records: [] } : { unknown: code === '' ? 'failed' : code }
  }
}

/**
 * Makes a DNS client for these servers (`1.1.1.1`, `127.0.0.1:5300`), or for those of the machine if the list is empty.
 * A server that does not respond is tried twice, with about this timeout each.
 */
export const createDns = (servers: readonly string[] = [], timeoutMs = 3000): Dns => {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers.length > 0) resolver.setServers([...servers])
  return {
    txt: (name) => answerOf(resolver.resolveTxt(name).then((found) => found.map((parts) => parts.join('')))),
    cname: (name) => answerOf(resolver.resolveCname(name)),
  }
}
