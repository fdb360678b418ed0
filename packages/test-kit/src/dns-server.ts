import { createSocket } from 'node:dgram'
import { once } from 'node:events'

type Kind = 'CNAME' | 'TXT'

/** Records by `<kind> <name>`; a name without any record returns "no such name". */
export type DnsRecords = Map<`${Kind} ${string}`, string>

const kinds: Readonly<Record<number, Kind>> = { 5: 'CNAME', 16: 'TXT' }

const labelsOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])

/** The name in a query, and the end of its question. */
const questionOf = (query: Buffer): { name: string; kind: Kind | undefined; end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), kind: kinds[query.readUInt16BE(at + 1)], end: at + 5 }
}

/** Starts a DNS server on loopback with these records, which may change; it returns one record per kind and name. */
export const startDnsServer = async (records: DnsRecords) => {
  const socket = createSocket('udp4')
  let silent = false
  socket.on('message', (query, peer) => {
    if (silent) return
    const { name, kind, end } = questionOf(query)
    const value = kind === undefined ? undefined : records.get(`${kind} ${name}`)
    const header = Buffer.from(query.subarray(0, 12))
    // An authoritative response, or "no such name".
    header.writeUInt16BE(value === undefined ? 0x84_03 : 0x84_00, 2)
    header.writeUInt16BE(value === undefined ? 0 : 1, 6)
    header.writeUInt32BE(0, 8)
    const parts: Buffer[] = [header, query.subarray(12, end)]
    if (value !== undefined) {
      const data = kind === 'CNAME' ? labelsOf(value) : Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
      const record = Buffer.alloc(12)
      // The name of the question, its kind and class, and a TTL of 0.
      record.writeUInt16BE(0xc0_0c, 0)
      record.writeUInt16BE(kind === 'CNAME' ? 5 : 16, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt16BE(data.length, 10)
      parts.push(record, data)
    }
    socket.send(Buffer.concat(parts), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    /** The address in the form that a resolver needs. */
    address: `127.0.0.1:${socket.address().port}`,
    /** Stops responding, or starts again. */
    silence(now: boolean) {
      silent = now
    },
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
