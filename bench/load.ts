// The load generator: keep-alive connections on plain sockets, each with one request at a time. Argument: LoadOptions
// as JSON. Prints a LoadReport as JSON.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type LoadOptions, type LoadReport, percentile } from './harness.ts'
import { createLoadRequest, preciseTime } from './load-body.ts'

const options: LoadOptions = JSON.parse(process.argv[2] ?? '{}')
const { connections, eventsPerRequest, rate } = options
const began = performance.now()
const ends = options.seconds === undefined ? Number.POSITIVE_INFINITY : began + options.seconds * 1000
const wanted = options.events ?? Number.POSITIVE_INFINITY

let sequence = 0
let accepted = 0
let underWay = 0
let lastAnswer = began
const refused: Record<string, number> = {}
const latencies: number[] = []

/** Returns the time in ms until the next request can be sent; 0 if no rate is set. */
const due = (): number => {
  if (rate === undefined) return 0
  return began + ((sequence * eventsPerRequest) / rate) * 1000 - performance.now()
}

const finished = (): boolean => performance.now() >= ends || accepted + underWay * eventsPerRequest >= wanted

/** Returns the status of a complete response; undefined if some of it is missing. */
const statusOf = (answer: string): string | undefined => {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = /content-length: (\d+)/i.exec(answer)
  if (length !== null && answer.length < headEnd + 4 + Number(length[1])) return undefined
  return answer.slice(9, 12)
}

const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: options.port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })

const exchange = (socket: Socket, bytes: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const stop = (): void => {
      socket.off('data', read)
      socket.off('close', closed)
    }
    const closed = (): void => {
      stop()
      reject(new Error('The server closed the connection'))
    }
    const read = (chunk: Buffer): void => {
      answer += chunk.toString('latin1')
      const status = statusOf(answer)
      if (status === undefined) return
      stop()
      resolve(status)
    }
    socket.on('data', read)
    socket.on('close', closed)
    socket.write(bytes)
  })

const caller = async (): Promise<void> => {
  const socket = await open()
  const request = createLoadRequest(options.key, options.run, eventsPerRequest, options.people)
  while (!finished()) {
    const wait = due()
    if (wait > 0) {
      await pause(wait)
      continue
    }
    request.stamp(sequence++, preciseTime())
    const sent = performance.now()
    underWay++
    const status = await exchange(socket, request.bytes)
    underWay--
    lastAnswer = performance.now()
    latencies.push(lastAnswer - sent)
    if (status === '200') accepted += eventsPerRequest
    else {
      refused[status] = (refused[status] ?? 0) + 1
      await pause(100)
    }
  }
  socket.destroy()
}

await Promise.all(Array.from({ length: connections }, caller))
const { user, system } = process.cpuUsage()
const report: LoadReport = {
  accepted,
  refused,
  seconds: (lastAnswer - began) / 1000,
  p50: percentile(latencies, 0.5),
  p95: percentile(latencies, 0.95),
  p99: percentile(latencies, 0.99),
  cpuSeconds: (user + system) / 1e6,
}
process.stdout.write(JSON.stringify(report))
