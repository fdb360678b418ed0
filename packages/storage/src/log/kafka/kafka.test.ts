import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createTopicsV7 } from '@platformatic/kafka'
import { eventually, type KafkaPeer, skipsKafka, startKafka } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logConformance, readAll } from '../conformance.ts'
import { type LogEntry, LogUnavailable, partitionOf } from '../port.ts'
import { producerConformance } from '../producer-conformance.ts'
import { openCluster } from './cluster.ts'
import { KafkaUnusable, WriterReplaced } from './errors.ts'
import type { KafkaLogOptions, KafkaSasl } from './options.ts'
import { openKafkaLogReader } from './reader.ts'
import { maxBatchBytes } from './topics.ts'
import { openKafkaLogWriter } from './writer.ts'

const jaas = 'org.apache.kafka.common.security'
const entry = (key: string, body: string | Uint8Array): LogEntry => ({ key, meta: '{}', body: Buffer.from(body) })
/** A token that Kafka's validator for development takes: without a signature (RFC 7519, 6). */
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

  test('a writer whose log another one has opened appends nothing more, in no partition, and says so once', async () => {
    const log = at(kafka.address)
    const told: WriterReplaced[] = []
    const first = await openKafkaLogWriter({ ...log, partitions: 4, onReplaced: (error) => told.push(error) })
    const keys = [0, 1, 2, 3].map((wanted) => {
      let n = 0
      while (partitionOf(`${n}`, 4) !== wanted) n++
      return `${n}`
    })
    await Promise.all(keys.map((key) => first.append(entry(key, 'first'))))
    const second = await openKafkaLogWriter({ ...log, partitions: 4 })
    for (const key of keys) await expect(first.append(entry(key, 'late'))).rejects.toBeInstanceOf(LogUnavailable)
    await expect(first.beginEpoch('p')).rejects.toBeInstanceOf(LogUnavailable)
    expect(told).toEqual([expect.any(WriterReplaced)])
    await second.append(entry('k', 'second'))
    await Promise.all([first.close(), second.close()])
    expect((await texts(log)).toSorted()).toEqual(['first', 'first', 'first', 'first', 'second'])
  })

  test('a producer goes on where it was when its writer was not closed, and when all that it appended was let go of', async () => {
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

  test('while the broker is away appends are refused in time, then it takes them again, each once', async () => {
    const log = at(kafka.address)
    const writer = await openKafkaLogWriter({ ...log, partitions: 1, answerMs: 4000 })
    const epoch = await writer.beginEpoch('p')
    const group = (sequence: number) =>
      writer.appendGroup([entry('k', `group ${sequence}`)], { producer: 'p', epoch, sequence })
    await writer.append(entry('k', 'before'))
    await group(1)
    await kafka.kill()
    await expect(group(2)).rejects.toBeInstanceOf(LogUnavailable)
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
    await writer.close()
    expect(await texts(log)).toEqual(['before', 'group 1', 'group 2', 'after'])
  })

  test('topics that are set otherwise are refused in one sentence that names each setting', async () => {
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
  ])('a client signs in by $mechanism, and with another password the refusal is said at once', async (sasl) => {
    const log = at(kafka.listeners.SIGNED ?? '', sasl)
    const writer = await openKafkaLogWriter({ ...log, partitions: 1 })
    await writer.append(entry('k', 'signed'))
    await writer.close()
    expect(await texts(log)).toEqual(['signed'])
    await expect(openKafkaLogWriter({ ...log, sasl: { ...sasl, password: 'wrong' } })).rejects.toThrow(
      'Kafka refuses the credentials',
    )
  })

  test('over TLS a broker is believed whose certificate is of the given authority, and no other', async () => {
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

  test('a client signs in by a token that it takes for client credentials, and takes one for all of its connections', async () => {
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

  test('who may not make topics, or not see them, is told so in one sentence', async () => {
    const sasl: KafkaSasl = { mechanism: 'PLAIN', username: 'nobody', password: 'nobody-secret' }
    const log = at(kafka.listeners.SIGNED ?? '', sasl)
    const opened = openKafkaLogWriter({ ...log, partitions: 4 })
    await expect(opened).rejects.toBeInstanceOf(KafkaUnusable)
    await expect(opened).rejects.toThrow(/Kafka .*does not let this user.* the topic|does not let this user create it/)
  })
})

/** Gives tokens as `answer` says. */
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
