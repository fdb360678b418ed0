import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type MessagePort, Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { coordinationConformance } from '../conformance.ts'
import { connectCoordination } from './connection.ts'
import { createFlow } from './frames.ts'
import { createCoordinationHub } from './hub.ts'
import { createLedger } from './ledger.ts'

/** Ports work the same within a thread as between threads; real workers are tested below. */
coordinationConformance('in process', async () => {
  let time = 1_000
  const hub = createCoordinationHub({ now: () => time })
  const connected = [connectCoordination(hub.port()), connectCoordination(hub.port())]
  return {
    members: [hub.coordination, ...connected],
    async pass(ms) {
      time += ms
    },
    close: () => hub.close(),
  }
})

const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

/** A worker that runs `body` with `coordination` and `say(value)`. */
const startWorker = (port: MessagePort, body: string): Worker =>
  new Worker(
    `const { workerData, parentPort } = require('node:worker_threads')
     import(${here('./connection.ts')}).then(async ({ connectCoordination }) => {
       const coordination = connectCoordination(workerData.port)
       const say = (value) => parentPort.postMessage(value)
       ${body}
     })`,
    { eval: true, workerData: { port }, transferList: [port], execArgv: [] },
  )

describe('coordination between worker threads', () => {
  it('counters and leases are exact over real threads', async () => {
    const hub = createCoordinationHub()
    const body = `
      const counts = await Promise.all(Array.from({ length: 500 }, () => coordination.increment('n', 1, 60000)))
      const lease = await coordination.acquireLease('single', String(Math.random()), 60000)
      say({ counts, lease })`
    const workers = [1, 2, 3].map(() => startWorker(hub.port(), body))
    const answers = await Promise.all(
      workers.map(
        async (worker): Promise<{ counts: number[]; lease: number | undefined }> => (await once(worker, 'message'))[0],
      ),
    )
    await Promise.all(workers.map((worker) => worker.terminate()))
    const counts = answers.flatMap((answer) => answer.counts).toSorted((a, b) => a - b)
    expect(counts).toEqual(Array.from({ length: 1_500 }, (_, n) => n + 1))
    expect(answers.filter(({ lease }) => lease !== undefined)).toHaveLength(1)
    await hub.close()
  })

  it('messages pass between workers, and do not keep a worker running', async () => {
    const hub = createCoordinationHub()
    const listener = startWorker(
      hub.port(),
      `const work = setInterval(() => {}, 1000)
       coordination.subscribe('t', (message) => { say(message); if (message.last) clearInterval(work) })
       await coordination.increment('ready', 1, 60000)
       say('ready')`,
    )
    await once(listener, 'message')
    const heard: unknown[] = []
    listener.on('message', (message) => heard.push(message))
    const listenerEnd = once(listener, 'exit')
    const speaker = startWorker(
      hub.port(),
      "for (let n = 0; n < 50; n++) coordination.publish('t', { n, last: n === 49 }); await coordination.increment('x', 1, 60000)",
    )
    await Promise.all([once(speaker, 'exit'), listenerEnd])
    expect(heard).toEqual(Array.from({ length: 50 }, (_, n) => ({ n, last: n === 49 })))
    await hub.close()
  })

  it('a hub removes a worker that has ended, and continues', async () => {
    const hub = createCoordinationHub()
    const worker = startWorker(
      hub.port(),
      "coordination.subscribe('t', () => {}); await coordination.increment('r', 1, 1000); process.exit(0)",
    )
    await once(worker, 'exit')
    hub.coordination.publish('t', 1)
    expect(await hub.coordination.increment('r', 1, 60_000)).toBeGreaterThan(0)
    await hub.close()
  })

  it('waiting and later calls are rejected when the hub has closed', async () => {
    const hub = createCoordinationHub()
    const member = connectCoordination(hub.port())
    const waiting = member.increment('n', 1, 1_000)
    const refused = expect(waiting).rejects.toThrow(/closed/)
    await hub.close()
    await refused
    await expect(member.acquireLease('l', 'h', 1_000)).rejects.toThrow(/closed/)
    await expect(hub.coordination.increment('n', 1, 1_000)).rejects.toThrow(/closed/)
    expect(() => member.publish('t', 1)).not.toThrow()
  })

  it('a hub drops messages for a thread that does not read, and for no other thread', async () => {
    const hub = createCoordinationHub()
    const blocked = startWorker(
      hub.port(),
      `coordination.subscribe('t', () => {}); await coordination.increment('r', 1, 60000); say('blocked')
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
    )
    await once(blocked, 'message')
    let heard = 0
    hub.coordination.subscribe('t', () => {
      heard += 1
    })
    const text = 'x'.repeat(1024 * 1024)
    for (let n = 0; n < 24; n += 1) hub.coordination.publish('t', text)
    await hub.coordination.increment('r', 1, 60_000)
    expect(heard).toBe(24)
    expect(hub.dropped()).toBe(9)
    await blocked.terminate()
    await hub.close()
  })
})

describe('a hub with a link to other processes', () => {
  const openLinked = (isShared?: (topic: string) => boolean) => {
    const sent: string[] = []
    let hear: (topic: string, text: string) => void = () => {}
    const away = () => Promise.reject(new Error('the database is away'))
    const hub = createCoordinationHub({
      link: {
        increment: away,
        acquireLease: away,
        releaseLease: away,
        send: (topic, text) => void sent.push(`${topic} ${text}`),
        listen: (heard) => {
          hear = heard
        },
        close: async () => {},
      },
      ...(isShared === undefined ? {} : { isShared }),
    })
    return { hub, sent, hear: (topic: string, text: string) => hear(topic, text) }
  }

  it("a linked hub sends its threads' messages on shared topics, and gives them the messages of other processes", async () => {
    const { hub, sent, hear } = openLinked((topic) => topic !== 'own')
    const member = connectCoordination(hub.port())
    const heard: unknown[] = []
    for (const topic of ['own', 'shared']) hub.coordination.subscribe(topic, (message) => heard.push([topic, message]))
    const there = new Promise((resolve) => void member.subscribe('shared', (message) => message === 3 && resolve(true)))
    member.publish('own', 1)
    member.publish('shared', 2)
    await expect
      .poll(() => heard)
      .toEqual([
        ['own', 1],
        ['shared', 2],
      ])
    expect(sent).toEqual(['shared 2'])
    hear('shared', '3')
    await there
    expect(sent).toEqual(['shared 2'])
    await hub.close()
  })

  it('a failed call to the linked hub is reported in each thread', async () => {
    const { hub } = openLinked()
    for (const member of [hub.coordination, connectCoordination(hub.port())]) {
      await expect(member.increment('n', 1, 1_000)).rejects.toThrow('the database is away')
      await expect(member.acquireLease('l', 'h', 1_000)).rejects.toThrow('the database is away')
    }
    await hub.close()
  })
})

describe('createLedger', () => {
  it('the ledger contains nothing that has expired after a sweep', () => {
    let time = 0
    const ledger = createLedger(() => time)
    for (let n = 0; n < 100; n += 1) {
      ledger.increment(`c${n}`, 1, n < 50 ? 10 : 1_000)
      ledger.acquire(`l${n}`, 'me', 10)
    }
    time = 10
    ledger.sweep()
    expect(ledger.size()).toBe(50)
  })
})

describe('createFlow', () => {
  it('a flow admits messages up to its limit, one of any size when empty, and more after messages were read', () => {
    const flow = createFlow(100)
    expect([flow.admit(500), flow.admit(1)]).toEqual([true, false])
    flow.handled(450)
    expect([flow.admit(50), flow.admit(1)]).toEqual([true, false])
  })
})
