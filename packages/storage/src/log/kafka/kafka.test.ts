import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createTopicsV7 } from '@platformatic/kafka'
import { eventually, type KafkaPeer, skipsKafka, startKafka } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logConformance, readAll } from '../conformance.ts'
import { partitionOf } from '../entries.ts'
import { newIncarnation } from '../incarnations.ts'
import { type LogAppender, type LogEntry, LogUnavailable, type LogWriter } from '../port.ts'
import { producerConformance } from '../producer-conformance.ts'
import { openKafkaLogAppender } from './appender.ts'
import { createAppending } from './appending.ts'
import { encodeBatch } from './batches.ts'
import { openCluster } from './cluster.ts'
import { followControl } from './control.ts'
import { KafkaUnusable, WriterReplaced } from './errors.ts'
import { readKafkaLogHolder } from './holder.ts'
import { type KafkaLogOptions, type KafkaSasl, topicsOf } from './options.ts'
import { openPartitions, type Partitions } from './partitions.ts'
import { openKafkaProgress } from './progress.ts'
import { openKafkaLogReader } from './reader.ts'
import { openSession, openSharing } from './session.ts'
import { maxBatchBytes, prepareKafkaLogs } from './topics.ts'
import { openKafkaLogWriter } from './writer.ts'

const jaas = 'org.apache.kafka.common.security'
const entry = (key: string, body: string | Uint8Array): LogEntry => ({ key, meta: '{}', body: Buffer.from(body) })
/** A token that Kafka's development validator accepts: without a signature (RFC 7519, 6). */
const unsignedToken = (claims: object): string =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

describe.skipIf(skipsKafka())('the log on Kafka', () => {
  let kafka: KafkaPeer
  beforeAll(async () => {
    kafka = await startKafka({
      listeners: { SIGNED: 'SASL_PLAINTEXT', ENCRYPTED: 'SSL' },
      scram: { scrammy: 'scram-secret' },
      settings: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users': 'User:ANONYMOUS;User:CN=localhost;User:plain;User:scrammy;User:tokened',
        'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,OAUTHBEARER',
        'listener.name.signed.plain.sasl.jaas.config': `${jaas}.plain.PlainLoginModule required user_plain="plain-secret" user_nobody="nobody-secret";`,
        'listener.name.signed.scram-sha-256.sasl.jaas.config': `${jaas}.scram.ScramLoginModule required;`,
        'listener.name.signed.oauthbearer.sasl.jaas.config': `${jaas}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
      },
    })
  })
  afterAll(() => kafka?.[Symbol.asyncDispose]())

  const at = (address: string, sasl?: KafkaSasl): KafkaLogOptions => {
    const [host = '', port] = address.split(':')
    return {
      brokers: [{ host, port: Number(port) }],
      topicPrefix: randomUUID(),
      name: 'requests',
      tls: undefined,
      sasl,
    }
  }
  const texts = async (log: KafkaLogOptions): Promise<string[]> => {
    const reader = await openKafkaLogReader(log)
    try {
      return (await readAll(reader)).map(({ body }) => Buffer.from(body).toString())
    } finally {
      reader.close()
    }
  }

  for (const conformance of [logConformance, producerConformance])
    conformance('Kafka', async () => {
      const log = at(kafka.address)
      return {
        openWriter: (options) => openKafkaLogWriter({ ...log, ...options }),
        openReader: () => openKafkaLogReader(log),
        remove: async () => {},
      }
    })

  test('a log returns the data folder of its last opening, even after the process ended, and undefined if no folder was recorded', async () => {
    const log = at(kafka.address)
    await prepareKafkaLogs(log, ['requests'], {})
    expect(await readKafkaLogHolder(log)).toBeUndefined()
    const found: (string | undefined)[] = []
    for (const folder of ['a', undefined, 'b', 'a']) {
      const writer = await openKafkaLogWriter({ ...log, isShared: true, ...(folder === undefined ? {} : { folder }) })
      await writer.append(entry('w', 'x'))
      await writer.close()
      found.push((await readKafkaLogHolder(log))?.folder)
    }
    expect(found).toEqual(['a', undefined, 'b', 'a'])
  })

  test('after another writer has opened the log, a writer can append to no partition, and reports this once', async () => {
    const log = at(kafka.address)
    const reported: WriterReplaced[] = []
    const first = await openKafkaLogWriter({ ...log, partitions: 4, onReplaced: (error) => reported.push(error) })
    const keys = [0, 1, 2, 3].map((wanted) => {
      let n = 0
      while (partitionOf(`${n}`, 4) !== wanted) n++
      return `${n}`
    })
    await Promise.all(keys.map((key) => first.append(entry(key, 'first'))))
    const second = await openKafkaLogWriter({ ...log, partitions: 4 })
    for (const key of keys) await expect(first.append(entry(key, 'late'))).rejects.toBeInstanceOf(LogUnavailable)
    await expect(first.beginEpoch('p')).rejects.toBeInstanceOf(LogUnavailable)
    expect(reported).toEqual([expect.any(WriterReplaced)])
    await second.append(entry('k', 'second'))
    await Promise.all([first.close(), second.close()])
    expect((await texts(log)).toSorted()).toEqual(['first', 'first', 'first', 'first', 'second'])
  })

  test('a producer continues after its writer was not closed, and after all its records were trimmed', async () => {
    const log = at(kafka.address)
    const stamp = (epoch: number, sequence: number) => ({ producer: 'p', epoch, sequence, note: `at ${sequence}` })
    const killed = await openKafkaLogWriter({ ...log, partitions: 1 })
    const epoch = await killed.beginEpoch('p')
    for (const sequence of [3, 7]) await killed.appendGroup([entry('k', `${sequence}`)], stamp(epoch, sequence))
    const next = await openKafkaLogWriter({ ...log, partitions: 1 })
    const last = [{ partition: 0, epoch, sequence: 7, note: 'at 7' }]
    expect(await next.lastSequences('p')).toEqual(last)
    expect(await next.appendGroup([entry('k', '7')], stamp(epoch, 7))).toBeUndefined()
    const [{ next: end } = { next: 0 }] = (await next.stats()).partitions
    await next.trim([{ partition: 0, offset: end }])
    expect(await next.stats()).toEqual({ partitions: [{ partition: 0, first: end, next: end }], bytes: 0 })
    const third = await openKafkaLogWriter({ ...log, partitions: 1 })
    expect(await third.lastSequences('p')).toEqual(last)
    expect(await third.beginEpoch('p')).toBe(epoch + 1)
    await Promise.all([killed, next, third].map((writer) => writer.close()))
    expect(await texts(log)).toEqual([])
  })

  describe('while the broker is down', () => {
    let log: KafkaLogOptions
    let writer: LogWriter
    let epoch: number
    let sure: LogAppender
    let unsure: LogAppender
    const group = (sequence: number) =>
      writer.appendGroup([entry('k', `group ${sequence}`)], { producer: 'p', epoch, sequence })
    // A start of the broker takes long, so both tests share one.
    beforeAll(async () => {
      const one = { ...at(kafka.address), partitions: 1 }
      await (await openKafkaLogWriter({ ...one, isShared: true })).close()
      const open = () => openKafkaLogAppender({ ...one, answerMs: 300, closeMs: 600 })
      sure = await open()
      unsure = await open()
      await Promise.all([sure.append(entry('k', 'there')), unsure.append(entry('k', 'there'))])
      await sure.close()
      log = at(kafka.address)
      writer = await openKafkaLogWriter({ ...log, partitions: 1, answerMs: 4000 })
      epoch = await writer.beginEpoch('p')
      await writer.append(entry('k', 'before'))
      await group(1)
      expect(writer.isUnsure?.()).toBe(false)
      await kafka.kill()
    })
    afterAll(async () => {
      if (kafka.pid() === undefined) await kafka.start()
    })

    test('an appender that is closed while the broker is down reports that its last entries may not be stored', async () => {
      await expect(unsure.append(entry('k', 'unknown'))).rejects.toBeInstanceOf(LogUnavailable)
      await unsure.close()
      expect([sure.isUnsure?.(), unsure.isUnsure?.()]).toEqual([false, true])
    })

    test('while the broker is down, appends are rejected in time, and accepted later, each once', async () => {
      await expect(group(2)).rejects.toBeInstanceOf(LogUnavailable)
      // The append is sent until Kafka responds, so it may be stored later.
      expect(writer.isUnsure?.()).toBe(true)
      const from = performance.now()
      await expect(writer.append(entry('k', 'refused'))).rejects.toBeInstanceOf(LogUnavailable)
      expect(performance.now() - from).toBeLessThan(3000)
      expect(writer.queuedBytes()).toBe(0)
      await kafka.start()
      await eventually(
        'taken again',
        () =>
          group(2).then(
            () => true,
            () => pause(50).then(() => false),
          ),
        60_000,
      )
      await writer.append(entry('k', 'after'))
      expect(writer.isUnsure?.()).toBe(false)
      await writer.close()
      expect(await texts(log)).toEqual(['before', 'group 1', 'group 2', 'after'])
    })
  })

  /** A log of one partition with several appenders, and functions to read it. */
  const sharedLog = () => {
    const log = at(kafka.address)
    const one = { ...log, partitions: 1 }
    return {
      log,
      openWriter: () => openKafkaLogWriter({ ...one, isShared: true }),
      openAppender: () => openKafkaLogAppender(one),
      openReader: () => openKafkaLogReader({ ...log, isShared: true }),
    }
  }
  const textOf = ({ body }: { body: Uint8Array }): string => Buffer.from(body).toString()

  test('several appenders next to a writer do not fence each other, store each entry once, and keep the order of their own entries', async () => {
    const { log, ...shared } = sharedLog()
    const writer = await shared.openWriter()
    const appenders = [await shared.openAppender(), await shared.openAppender()]
    const all = [writer, ...appenders]
    const places = await Promise.all(
      all.flatMap((each, who) => Array.from({ length: 100 }, (_, n) => each.append(entry('k', `${who} ${n}`)))),
    )
    const later = await Promise.all(all.map((each, who) => each.append(entry('k', `${who} 100`))))
    await Promise.all(all.map((each) => each.close()))
    const reader = await shared.openReader()
    const records = await readAll(reader)
    const [incarnation] = records.map((record) => record.incarnation)
    expect(new Set(records.map((record) => record.incarnation))).toEqual(new Set([incarnation]))
    const found = await reader.find([...places, ...later])
    reader.close()
    expect(found.map((record) => record && textOf(record))).toEqual(
      [0, 1, 2]
        .flatMap((who) => Array.from({ length: 100 }, (_, n) => `${who} ${n}`))
        .concat('0 100', '1 100', '2 100'),
    )
    expect(records).toHaveLength(303)
    for (const who of ['0', '1', '2'])
      expect(records.map(textOf).filter((text) => text.startsWith(who))).toEqual(
        Array.from({ length: 101 }, (_, n) => `${who} ${n}`),
      )
    expect((await texts(log)).length).toBe(303)
  })

  test('a record appended next to writers has the incarnation of its position, for every reader and from every start of reading', async () => {
    const shared = sharedLog()
    const first = await shared.openWriter()
    const appender = await shared.openAppender()
    const append = (body: string) => appender.append(entry('k', body))
    await append('a0')
    await first.append(entry('k', 'a1'))
    await append('a2')
    await first.close()
    // At this time there is no writer.
    await append('a3')
    const second = await shared.openWriter()
    await append('b4')
    await second.append(entry('k', 'b5'))
    const names: string[] = []
    for (let begin = 0; begin < 6; begin++) {
      const reader = await shared.openReader()
      const all = await readAll(reader)
      expect(all.map(textOf)).toEqual(['a0', 'a1', 'a2', 'a3', 'b4', 'b5'])
      names.push(...all.map((record) => record.incarnation))
      const from = all[begin]?.offset ?? -1
      const fresh = [await shared.openReader(), await shared.openReader()] as const
      const [read] = await fresh[0].read(0, from, 1)
      const [found] = await fresh[1].find([{ partition: 0, offset: from }])
      for (const each of fresh) each.close()
      expect([read?.incarnation, found?.incarnation]).toEqual([names[begin], names[begin]])
      const ranges = await reader.incarnations(0)
      expect(ranges.map((range) => range.incarnation)).toEqual([names[0], names[4]])
      expect(ranges[1]?.from).toBeGreaterThan(all[3]?.offset ?? -1)
      expect(ranges[1]?.from).toBeLessThanOrEqual(all[4]?.offset ?? -1)
      reader.close()
    }
    const [a = '', , , , b = ''] = names
    expect(a < b).toBe(true)
    expect(names).toEqual(Array.from({ length: 6 }, () => [a, a, a, a, b, b]).flat())
    await Promise.all([appender.close(), second.close()])
  })

  test('a writer that another opening replaced keeps its incarnation, while others append', async () => {
    const { log, ...shared } = sharedLog()
    await (await shared.openWriter()).close()
    const cluster = openCluster(log)
    const names = topicsOf(log)
    const data = await openPartitions(cluster, names.data)
    const topics = {
      cluster,
      data,
      controlTopic: await openPartitions(cluster, names.control),
      name: names.data,
      isShared: true,
    }
    const own = new Set<string>()
    const session = await openSession(topics, own)
    const appender = await shared.openAppender()
    const reader = await shared.openReader()
    await appender.append(entry('k', 'before'))
    expect((await readAll(reader)).map(({ incarnation }) => incarnation)).toEqual([session.incarnation])
    const renewed = await openSession(topics, own, session.incarnation)
    await appender.append(entry('k', 'after'))
    const incarnations = [session.incarnation, session.incarnation]
    expect(renewed.incarnation).toBe(session.incarnation)
    expect((await readAll(reader)).map(({ incarnation }) => incarnation)).toEqual(incarnations)
    const later = await shared.openReader()
    expect((await readAll(later)).map(({ incarnation }) => incarnation)).toEqual(incarnations)
    expect((await later.incarnations(0)).filter((each) => each.incarnation === session.incarnation)).toHaveLength(1)
    for (const each of [reader, later]) each.close()
    await appender.close()
    cluster.close()
  })

  test('records behind the first batch of an opening are not read until that opening is recorded or another opening begins', async () => {
    const { log, ...shared } = sharedLog()
    const writer = await shared.openWriter()
    const appender = await shared.openAppender()
    await appender.append(entry('k', 'before'))
    const cluster = openCluster(log)
    const data = await openPartitions(cluster, topicsOf(log).data)
    const control = followControl(await openPartitions(cluster, topicsOf(log).control), data)
    await control.refresh()
    const [opening] = control.openings()
    const fence = encodeBatch([{ key: '', meta: '', body: Buffer.of(), addressed: false }], {
      head: { i: newIncarnation(opening?.incarnation ?? '', Date.now()), c: 0, f: 1 },
      time: Date.now(),
      stamp: { producerId: -1n, epoch: -1, sequence: -1 },
    })
    await data.produce(new Map([[0, fence]]))
    const { offset } = await appender.append(entry('k', 'behind'))
    const reader = await shared.openReader()
    expect((await reader.read(0, 0, 1_000_000)).map(textOf)).toEqual(['before'])
    let isRead = false
    const behind = reader.read(0, offset - 1, 1_000_000).then((records) => {
      isRead = true
      return records
    })
    // Twice as many times as needed.
    for (let n = 0; n < 10; n++) await control.refresh()
    expect(isRead).toBe(false)
    await writer.close()
    const next = await shared.openWriter()
    expect((await behind).map(({ incarnation }) => incarnation)).toEqual([opening?.incarnation])
    reader.close()
    cluster.close()
    await Promise.all([appender.close(), next.close()])
  })

  test('a writer that appends nothing can trim records of others, but rejects producers', async () => {
    const { log, ...shared } = sharedLog()
    const writer = await shared.openWriter()
    const appender = await shared.openAppender()
    for (const body of ['0', '1', '2']) await appender.append(entry('k', body))
    const { offset } = await appender.append(entry('k', '3'))
    expect((await writer.stats()).partitions).toEqual([{ partition: 0, first: 0, next: offset + 1 }])
    await writer.trim([{ partition: 0, offset }])
    expect(await texts(log)).toEqual(['3'])
    await expect(writer.beginEpoch('p')).rejects.toBeInstanceOf(RangeError)
    const stamp = { producer: 'p', epoch: 1, sequence: 1 }
    await expect(writer.appendGroup([entry('k', '4')], stamp)).rejects.toBeInstanceOf(RangeError)
    await Promise.all([appender.close(), writer.close()])
  })

  test('a batch that is resent next to a writer after a lost response is stored once, at the position that its sender gets', async () => {
    const { log, ...shared } = sharedLog()
    const writer = await shared.openWriter()
    const cluster = openCluster(log)
    const data = await openPartitions(cluster, topicsOf(log).data)
    let sent = 0
    const lossy: Partitions = {
      ...data,
      async produce(batches) {
        const outcomes = await data.produce(batches)
        const isLost = ++sent % 3 !== 0
        return isLost ? new Map([...outcomes.keys()].map((key) => [key, { code: -1, base: -1 }])) : outcomes
      },
    }
    const sharing = await openSharing(cluster, data)
    const appending = createAppending({ cluster, data: lossy, current: async () => sharing, onLost() {} })
    const bodies = Array.from({ length: 8 }, (_, n) => `${n}`)
    const places: { partition: number; offset: number }[] = []
    for (const body of bodies) {
      const place = await appending.append([entry('k', body)])
      if (place !== undefined) places.push(place)
    }
    expect(sent).toBe(3 * bodies.length)
    expect(await texts(log)).toEqual(bodies)
    const reader = await shared.openReader()
    expect((await reader.find(places)).map((record) => record && textOf(record))).toEqual(bodies)
    reader.close()
    await Promise.all([appending.close(), writer.close()])
  })

  test('an appender creates no topics, and rejects if the log was never opened', async () => {
    const log = at(kafka.address)
    const opened = (): Promise<unknown> => openKafkaLogAppender({ ...log, partitions: 1 })
    for (const step of ['nothing is there', 'the topics are there']) {
      if (step !== 'nothing is there') await prepareKafkaLogs(log, ['requests'], { partitions: 1 })
      await expect(opened(), step).rejects.toBeInstanceOf(KafkaUnusable)
      await expect(opened(), step).rejects.toThrow('start the process that runs the other roles before')
    }
  })

  test('the reported progress of a log reaches other processes, separately for each log', async () => {
    const log = at(kafka.address)
    await prepareKafkaLogs(log, ['requests'], { partitions: 3 })
    const [one, other] = [1, 2].map(() => openKafkaProgress({ ...log, partitions: 3 }))
    await eventually('asked', () => other?.ask().then((found) => found.every((offset) => offset === -1)), 60_000)
    const tell = (...positions: [number, number][]) => one?.tell(new Map(positions))
    await tell([0, 7], [1, 0], [2, 2 ** 40])
    expect(await other?.ask()).toEqual([7, 0, 2 ** 40])
    await tell([0, 8])
    expect(await other?.ask()).toEqual([8, 0, 2 ** 40])
    for (const each of [one, other]) each?.close()
  })

  test('topics with wrong settings are rejected in one sentence that names each setting', async () => {
    const log = at(kafka.address)
    const cluster = openCluster(log)
    const topic = (name: string, numPartitions: number, configs: Record<string, string>) => ({
      name,
      numPartitions,
      replicationFactor: 1,
      assignments: [],
      configs: Object.entries(configs).map(([config, value]) => ({ name: config, value })),
    })
    const settings = { 'retention.ms': '1000', 'unclean.leader.election.enable': 'true' }
    await cluster.call(
      undefined,
      createTopicsV7.api,
      [topic(`${log.topicPrefix}.requests`, 3, settings), topic(`${log.topicPrefix}.requests.control`, 1, {})],
      10_000,
      false,
    )
    cluster.close()
    const opened = openKafkaLogWriter({ ...log, partitions: 4 })
    await expect(opened).rejects.toBeInstanceOf(KafkaUnusable)
    for (const words of [
      'unclean.leader.election.enable is true and must be false',
      `max.message.bytes is 1048588 and must be at least ${maxBatchBytes}`,
      'retention.ms is 1000 and must be -1',
      'it has 3 partitions and must have 4',
    ])
      await expect(opened).rejects.toThrow(words)
  })

  test.each<Extract<KafkaSasl, { username: string }>>([
    { mechanism: 'PLAIN', username: 'plain', password: 'plain-secret' },
    { mechanism: 'SCRAM-SHA-256', username: 'scrammy', password: 'scram-secret' },
  ])('a client signs in with $mechanism, and a wrong password is reported immediately', async (sasl) => {
    const log = at(kafka.listeners.SIGNED ?? '', sasl)
    const writer = await openKafkaLogWriter({ ...log, partitions: 1 })
    await writer.append(entry('k', 'signed'))
    await writer.close()
    expect(await texts(log)).toEqual(['signed'])
    await expect(openKafkaLogWriter({ ...log, sasl: { ...sasl, password: 'wrong' } })).rejects.toThrow(
      'Kafka refuses the credentials',
    )
  })

  test('over TLS, only a broker with a certificate of the given authority is trusted', async () => {
    const log = at(kafka.listeners.ENCRYPTED ?? '')
    const tls = { ca: kafka.certificate, cert: undefined, key: undefined }
    const writer = await openKafkaLogWriter({ ...log, tls, partitions: 1 })
    await writer.append(entry('k', 'encrypted'))
    await writer.close()
    expect(await texts({ ...log, tls })).toEqual(['encrypted'])
    const cluster = openCluster({ ...log, tls: { ...tls, ca: undefined } })
    await expect(cluster.brokers()).rejects.toThrow()
    cluster.close()
  })

  test('a client signs in with a token for its client credentials, and uses one token for all connections', async () => {
    const asked: (string | undefined)[] = []
    await using server = await tokenServer((authorization, body) => {
      asked.push(`${authorization} ${body}`)
      const now = Math.floor(Date.now() / 1000)
      return { access_token: unsignedToken({ sub: 'tokened', iat: now, exp: now + 3600 }), expires_in: 3600 }
    })
    const sasl: KafkaSasl = {
      mechanism: 'OAUTHBEARER',
      tokenUrl: server.url,
      clientId: 'client',
      clientSecret: 's:ecret',
      scope: 'logs',
    }
    const log = at(kafka.listeners.SIGNED ?? '', sasl)
    const writer = await openKafkaLogWriter({ ...log, partitions: 1 })
    await writer.append(entry('k', 'tokened'))
    await writer.close()
    expect(asked).toEqual([`Basic ${btoa('client:s%3Aecret')} grant_type=client_credentials&scope=logs`])
  })

  test('a user without permission to create or see topics gets a one-sentence error', async () => {
    const sasl: KafkaSasl = { mechanism: 'PLAIN', username: 'nobody', password: 'nobody-secret' }
    const log = at(kafka.listeners.SIGNED ?? '', sasl)
    const opened = openKafkaLogWriter({ ...log, partitions: 4 })
    await expect(opened).rejects.toBeInstanceOf(KafkaUnusable)
    await expect(opened).rejects.toThrow(/Kafka .*does not let this user.* the topic|does not let this user create it/)
  })
})

/** A server that returns tokens as `answer` decides. */
const tokenServer = async (answer: (authorization: string | undefined, body: string) => object) => {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => response.end(JSON.stringify(answer(request.headers.authorization, body))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/token`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
