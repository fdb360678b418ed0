import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startClickHouse } from '@tributary/test-kit'
import { type ConformancePeer, warehouseConformance } from '../../wire/warehouse/testing-conformance.ts'
import { clickhouse } from './definition.ts'

/** ClickHouse's own engine, behind a proxy that loses requests or answers. */
const openPeer = async (): Promise<ConformancePeer> => {
  const peer = await startClickHouse()
  let left = Number.POSITIVE_INFINITY
  let when: 'before' | 'after' = 'before'
  let statements = 0
  const proxy = createServer((incoming, outgoing) => {
    statements++
    const fails = --left === 0
    if (fails && when === 'before') {
      outgoing.destroy()
      return
    }
    const { port } = peer.access
    const forwarded = request(
      { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (answer) => {
        if (fails) {
          answer.resume().once('end', () => outgoing.destroy())
          return
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      },
    )
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  let databases = 0
  return {
    settings: async () => {
      const database = `d${++databases}`
      await peer.query(`create database ${database}`)
      return { ...peer.access, port, tls: 'off', database }
    },
    query: (settings, sql) =>
      peer.query(sql.replace(/\{(\w+)\}/g, (_, table) => `${String(settings.database)}.${table}`)),
    failAt: (statement, moment) => {
      left = statement
      when = moment
    },
    statements: () => {
      const found = statements
      statements = 0
      return found
    },
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      proxy.close()
      await peer[Symbol.asyncDispose]()
    },
  }
}

warehouseConformance(
  'ClickHouse',
  clickhouse,
  {
    column: (name) => `\`${name}\``,
    number: (name) => `toString(\`${name}\`)`,
    time: (name) =>
      `formatDateTime(\`${name}\`, '%F %T', 'UTC') || '.' || leftPad(toString(toUnixTimestamp64Milli(\`${name}\`) % 1000), 3, '0')`,
    seconds: (name) => `toUnixTimestamp(\`${name}\`)`,
    flag: (name) => `toString(\`${name}\`)`,
    member: (name, member) =>
      `multiIf(NOT JSONHas(\`${name}\`, '${member}'), NULL, JSONType(\`${name}\`, '${member}') = 'String', JSONExtractString(\`${name}\`, '${member}'), JSONExtractRaw(\`${name}\`, '${member}'))`,
  },
  openPeer,
)
