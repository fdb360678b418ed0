import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@tributary/kernel'
import { openRelational, runningPostgresUrl } from '@tributary/storage'
import { type Figure, inTurns, mean, median, percentile, runLoad, thousands } from '../harness.ts'
import type { Bench } from '../product.ts'

const targetMs = 20
/** Maximum response time, as a multiple of the time of a select by primary key. */
const maxRatio = 3
/** Number of requests per second, and of events per second at the same time. */
const rate = 200
const eventRate = 2000
const pairs = 3
const connections = 6

/** Returns the durations in ms of calls that begin `rate` times per second, even if earlier calls have not ended. */
const timed = async (seconds: number, call: (n: number) => Promise<void>): Promise<number[]> => {
  const times: number[] = []
  const underWay: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < seconds * rate; n++) {
    const wait = began + (n * 1000) / rate - performance.now()
    if (wait > 0) await pause(wait)
    const at = performance.now()
    underWay.push(call(n).then(() => void times.push(performance.now() - at)))
  }
  await Promise.all(underWay)
  return times
}

/**
 * Creates a client with plain sockets that stay open, each with one request at a time. Node's own client would cost
 * more than the response.
 */
const createClient = (port: number, authorization: string) => {
  const all: Socket[] = []
  const free: Socket[] = []
  const open = (): Socket => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    all.push(socket)
    return socket
  }
  return {
    /** Resolves when the whole response has arrived; rejects unless its status is 200. */
    get: (path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = free.pop() ?? open()
        let answer = ''
        const read = (chunk: Buffer): void => {
          answer += chunk.toString('latin1')
          const head = answer.indexOf('\r\n\r\n')
          if (head < 0 || answer.length < head + 4 + Number(/content-length: (\d+)/i.exec(answer)?.[1])) return
          socket.off('data', read)
          socket.off('close', reject)
          free.push(socket)
          if (answer.slice(9, 12) === '200') resolve()
          else reject(new Error(`The Profile API answered ${answer.slice(9, 12)}`))
        }
        socket.on('data', read)
        socket.once('close', reject)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`)
      }),
    close(): void {
      for (const socket of all) socket.destroy()
    },
  }
}

/**
 * Measures reads of a user's traits by their user ID, as from another server, while events of the same users arrive.
 * The reads alternate with selects of a profile by its primary key, on the same PostgreSQL, from this process.
 */
export const measureProfileApi = async (bench: Bench, people: number, seconds: number): Promise<Figure> => {
  const { port, key, product } = bench
  const made = await product.api.ok('POST', `/${bench.workspace}/profileKeys`, { kind: 'secret', title: 'Bench' })
  const authorization = `Basic ${btoa(`${String(made.key)}:`)}`
  const client = createClient(port, authorization)
  const personOf = (n: number): string => `person-${String((n * 999_983) % people).padStart(6, '0')}`
  const ask = (n: number): Promise<void> => client.get(`/profiles/v1/user_id:${personOf(n)}/traits`)
  const url = await runningPostgresUrl(join(product.dataDir, 'postgres'))
  await using relational = openRelational({ url, logger: silentLogger, maxConnections: connections })
  const { rows: ids } = await relational.pool.query<{ workspace_id: string; id: string }>(
    'select workspace_id, id from profiles where merged_into is null limit 1000',
  )
  const select = async (n: number): Promise<void> => {
    const { workspace_id, id } = ids[(n * 7919) % ids.length] ?? {}
    await relational.pool.query({
      name: 'bench-profile',
      text: 'select * from profiles where workspace_id = $1 and id = $2',
      values: [workspace_id, id],
    })
  }
  const calls = { select, ask }
  // A new key is valid within two seconds. Connections are opened only once, before the measurement.
  await pause(2500)
  for (const call of [select, ask]) await timed(1, call)
  const medians: number[] = []
  const run = (round: string): Parameters<typeof runLoad>[0] => ({
    port,
    key,
    connections: 4,
    eventsPerRequest: 20,
    rate: eventRate,
    people,
    run: `profile-api-${round}`,
    seconds,
  })
  const p95 = await inTurns(pairs, ['select', 'ask'] as const, async (kind, round) => {
    const loading = runLoad(run(String(round)))
    // Waits until the load generator has started.
    await pause(500)
    const times = await timed(seconds - 1, calls[kind])
    await loading
    if (kind === 'ask') medians.push(median(times))
    return percentile(times, 0.95)
  })
  client.close()
  const ratio = mean(p95.ask) / mean(p95.select)
  return {
    figure: `Profile API, ${rate} requests/s beside ${thousands(eventRate)} events/s`,
    target: `p95 < ${targetMs} ms and <= ${maxRatio} of ${mean(p95.select).toFixed(1)} ms of a select by primary key`,
    measured: `${mean(p95.ask).toFixed(1)} ms (median ${mean(medians).toFixed(1)} ms)`,
    ratio,
    pass: mean(p95.ask) < targetMs && ratio <= maxRatio,
  }
}
