// A simple handwritten client for comparison. It creates the rows of the customers of `rows-world.ts`, and posts them
// as JSON arrays in several concurrent requests. Argument: BareRows as JSON. Prints the duration in seconds.

import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'

export type BareRows = { port: number; rows: number; rowsOfBatch: number; connections: number }

const { port, rows, rowsOfBatch, connections }: BareRows = JSON.parse(process.argv[2] ?? '{}')
const agent = new Agent({ keepAlive: true, maxSockets: connections })

const rowOf = (n: number): object => ({
  recordId: `0198c0de-0000-7000-8000-000000000000.${n}`,
  operation: 'upsert',
  object: 'customers',
  key: String(n),
  payload: {
    active: n % 3 === 0,
    age: 18 + (n % 70),
    city: `City ${n % 5000}`,
    country: 'DE',
    created_at: '2022-01-01 00:00:00+00',
    email: `user-${n}@example.com`,
    id: n,
    name: `Customer ${names[n % names.length]}`,
    plan: 'free',
    total: (n % 100_000) / 100,
  },
})
const names = Array.from({ length: 1000 }, (_, n) => createHash('md5').update(String(n)).digest('hex'))

const post = (body: string, count: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-tributary-record-count': count,
    }
    const call = request({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    call.on('error', reject)
    call.end(body)
  })

let next = 1
const client = async (): Promise<void> => {
  while (next <= rows) {
    const from = next
    const count = Math.min(rowsOfBatch, rows - from + 1)
    next += count
    await post(JSON.stringify(Array.from({ length: count }, (_, index) => rowOf(from + index))), count)
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: connections }, client))
process.stdout.write(String((performance.now() - began) / 1000))
agent.destroy()
