import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { Admin, Consumer, murmur2 } from '@platformatic/kafka'
import {
  ConfigurationError,
  createEgressPolicy,
  EgressRefusedError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { outgoingEvent, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { type KafkaPeer, skipsKafka, startKafka } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { kafka } from './definition.ts'

const jaas = 'org.apache.kafka.common.security'

const track = outgoingEvent({ properties: { note: 'ü' } })
const identify = outgoingEvent({
  eventId: '0-2-0',
  messageId: 'message-2',
  type: 'identify',
  event: '',
  userId: 'user-2',
  traits: { plan: 'pro' },
})

const plain = { tls: 'off', authentication: 'none' }

describe.skipIf(skipsKafka())('records of a real Kafka', () => {
  let peer: KafkaPeer
  beforeAll(async () => {
    peer = await startKafka({
      listeners: { SIGNED: 'SASL_PLAINTEXT', ENCRYPTED: 'SSL' },
      scram: { scrammy: 'scram-secret' },
      settings: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users': 'User:ANONYMOUS;User:CN=localhost;User:plain;User:scrammy',
        'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256',
        'listener.name.signed.plain.sasl.jaas.config': `${jaas}.plain.PlainLoginModule required user_plain="plain-secret" user_nobody="nobody-secret";`,
        'listener.name.signed.scram-sha-256.sasl.jaas.config': `${jaas}.scram.ScramLoginModule required;`,
      },
    })
  }, 60_000)
  afterAll(() => peer?.[Symbol.asyncDispose]())

  const createTopic = async (partitions = 3, configs: Record<string, string> = {}): Promise<string> => {
    const topic = `events-${randomUUID()}`
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [peer.address] })
    await admin.createTopics({
      topics: [topic],
      partitions,
      replicas: 1,
      configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
    })
    // A new partition refuses records until its leader has opened it.
    const wanted = Array.from({ length: partitions }, (_, partitionIndex) => ({ partitionIndex, timestamp: -1n }))
    await vi.waitFor(() => admin.listOffsets({ topics: [{ name: topic, partitions: wanted }] }), 10_000)
    await admin.close()
    return topic
  }

  const read = async (topic: string, count: number) => {
    const consumer = new Consumer({
      groupId: randomUUID(),
      clientId: 'test',
      bootstrapBrokers: [peer.address],
    })
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 200 })
    const records: { key: string | undefined; value: string; partition: number; offset: number }[] = []
    for await (const { key, value, partition, offset } of stream) {
      records.push({ key: key?.toString(), value: value.toString(), partition, offset: Number(offset) })
      if (records.length === count) break
    }
    consumer.close(true)
    return records.toSorted((one, other) => one.partition - other.partition || one.offset - other.offset)
  }

  const settingsOf = (topic: string, more: object = {}) => ({ brokers: peer.address, topic, ...plain, ...more })

  it('events arrive as records with the user ID as key, and the whole event as value', async () => {
    const topic = await createTopic(1)
    const result = await runConnector(kafka, settingsOf(topic), [track, identify])
    expect(result.outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
    const records = await read(topic, 2)
    expect(records.map(({ key, value }) => [key, value])).toEqual([
      ['user-1', track.json],
      ['user-2', identify.json],
    ])
  })

  it('records of one person are in one partition in their order, and a payload of a mapping is the value', async () => {
    const topic = await createTopic()
    const events = Array.from({ length: 30 }, (_, at) =>
      outgoingEvent({ eventId: `0-${at}-0`, userId: `user-${at % 3}` }, { payload: { at } }),
    )
    const { outcomes } = await runConnector(kafka, settingsOf(topic), events)
    expect(outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
    const records = await read(topic, 30)
    for (const person of [0, 1, 2]) {
      const own = records.filter(({ key }) => key === `user-${person}`)
      expect(new Set(own.map(({ partition }) => partition)).size).toBe(1)
      expect(own.map(({ value }) => (JSON.parse(value) as { at: number }).at)).toEqual(
        Array.from({ length: 10 }, (_, at) => at * 3 + person),
      )
    }
  })

  it('records without a key are in all partitions', async () => {
    const topic = await createTopic()
    const events = Array.from({ length: 9 }, (_, at) => outgoingEvent({ eventId: `0-${at}-0` }))
    const { outcomes } = await runConnector(kafka, settingsOf(topic, { key: 'none' }), events)
    expect(outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
    const records = await read(topic, 9)
    expect(records.map(({ key, partition }) => [key, partition])).toEqual(
      [0, 0, 0, 1, 1, 1, 2, 2, 2].map((partition) => [undefined, partition]),
    )
  })

  it('a record that is larger than the topic allows is rejected alone, and the others arrive once', async () => {
    const topic = await createTopic(1, { 'max.message.bytes': '2000' })
    const large = outgoingEvent({ eventId: '0-3-0', properties: { text: 'x'.repeat(3000) } })
    const { outcomes } = await runConnector(kafka, settingsOf(topic), [track, large, identify])
    expect(outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'The record is larger than the topic allows (MESSAGE_TOO_LARGE)' },
      { kind: 'delivered' },
    ])
    expect((await read(topic, 2)).map(({ value }) => value)).toEqual([track.json, identify.json])
  })

  it.each([
    ['plain', 'plain', 'plain-secret'],
    ['scram-sha-256', 'scrammy', 'scram-secret'],
  ])('a user signs in by %s, and a wrong password holds the events', async (authentication, user, password) => {
    const topic = await createTopic(1)
    const brokers = peer.listeners.SIGNED ?? ''
    const settings = settingsOf(topic, { brokers, authentication, user, password })
    expect(await runConnectionTest(kafka, settings)).toEqual({
      ok: true,
      message: `Connected. The topic ${topic} has 1 partition.`,
    })
    const { outcomes } = await runConnector(kafka, settings, [track])
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    const wrong = { ...settings, password: 'wrong-secret' }
    const failure = await runConnector(kafka, wrong, [track]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect((failure as ConfigurationError).message).toBe('Wrong user or password (SASL_AUTHENTICATION_FAILED)')
    expect(JSON.stringify((failure as ConfigurationError).exchange)).not.toContain('wrong-secret')
    expect(await runConnectionTest(kafka, wrong)).toMatchObject({ ok: false })
  })

  it('a connection by TLS is verified by the given authority', async () => {
    const topic = await createTopic(1)
    const settings = settingsOf(topic, { brokers: peer.listeners.ENCRYPTED, tls: 'verify' })
    const trusting = { ...settings, ca_certificate: peer.certificate }
    expect((await runConnector(kafka, trusting, [track])).outcomes).toEqual([{ kind: 'delivered' }])
    await expect(runConnector(kafka, settings, [track])).rejects.toThrow('The certificate is self-signed')
  })

  it.each([
    ['a topic that does not exist', {}, 'The topic does not exist, or the user cannot describe it'],
    [
      'a mechanism that the brokers do not offer',
      { authentication: 'scram-sha-512', user: 'scrammy', password: 'scram-secret' },
      'The brokers do not offer this authentication',
    ],
    [
      'a user without permission',
      { authentication: 'plain', user: 'nobody', password: 'nobody-secret' },
      // A user who may not describe a topic cannot see whether it exists.
      'The user is not allowed to write to the topic',
    ],
  ])('%s holds the events', async (name, more, message) => {
    const topic = name === 'a user without permission' ? await createTopic(1) : 'missing'
    const signed = 'authentication' in more ? { brokers: peer.listeners.SIGNED } : {}
    const failure = await runConnector(kafka, settingsOf(topic, { ...signed, ...more }), [track]).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect((failure as Error).message).toContain(message)
  })

  it('a broker that can be reached is found among others, and a private address is refused', async () => {
    const topic = await createTopic(1)
    const settings = settingsOf(topic, { brokers: `127.0.0.1:1, ${peer.address}` })
    expect((await runConnector(kafka, settings, [track])).outcomes).toEqual([{ kind: 'delivered' }])
    const egress = createEgressPolicy()
    await expect(runConnector(kafka, settings, [track], { egress })).rejects.toThrow(EgressRefusedError)
  })

  it('events are repeated while Kafka is away, and arrive when it is back', async () => {
    const topic = await createTopic(1)
    await peer.kill()
    await expect(runConnector(kafka, settingsOf(topic), [track])).rejects.toThrow(RetryableError)
    await peer.start()
    expect((await runConnector(kafka, settingsOf(topic), [track])).outcomes).toEqual([{ kind: 'delivered' }])
  })
})

// The vectors of Kafka's UtilsTest.testMurmur2 for the hash that chooses a partition by the key.
it.each([
  ['21', -973_932_308],
  ['foobar', -790_332_482],
  ['a-little-bit-long-string', -985_981_536],
  ['a-little-bit-longer-string', -1_486_304_829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
  ['abc', 479_470_107],
])('the key %s has the hash of other clients', (key, hash) => {
  expect(murmur2(Buffer.from(key))).toBe(hash)
})

/** Starts a server that answers each request with these bytes, and returns its address. */
const startServer = async (answer: Buffer | undefined): Promise<string> => {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => (answer === undefined ? socket.destroy() : socket.write(answer)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const frame = (text: Buffer): Buffer => {
  const size = Buffer.alloc(4)
  size.writeInt32BE(text.length)
  return Buffer.concat([size, text])
}

it.each([
  ['a web page', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), ConfigurationError],
  ['a frame of two gigabytes', Buffer.from([0x7f, 0xff, 0xff, 0xff]), ConfigurationError],
  ['another number', frame(Buffer.from([0, 0, 0, 9])), ConfigurationError],
  ['a frame that is cut off', frame(Buffer.from([0, 0, 0, 1, 0, 1])), RetryableError],
  ['nothing', undefined, RetryableError],
])('a server that answers with %s takes no events', async (_, answer, kind) => {
  const settings = { brokers: await startServer(answer), topic: 'events', ...plain }
  await expect(runConnector(kafka, settings, [track])).rejects.toThrow(kind)
})

it('a server that answers a sign-in with random bytes takes no events', async () => {
  const brokers = await startServer(frame(Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
  const settings = { brokers, topic: 'events', tls: 'off', authentication: 'plain', user: 'u', password: 'p' }
  await expect(runConnector(kafka, settings, [track])).rejects.toThrow()
})

const valid = { brokers: 'a.example:9092', topic: 'events', ...plain }
it.each([
  ['brokers', { brokers: 'a.example' }],
  ['brokers', { brokers: 'a.example:0' }],
  ['brokers', { brokers: 'a.example:9092,' }],
  ['brokers', { brokers: '/tmp/socket:1' }],
  ['topic', { topic: 'a b' }],
  ['topic', { topic: '..' }],
  ['ca_certificate', { ca_certificate: 'x' }],
  ['user', { authentication: 'plain', password: 'p' }],
  ['password', { authentication: 'plain', user: 'u' }],
])('the setting %s is rejected if it is invalid: %j', (name, more) => {
  expect(validateSettings(kafka, { ...valid, ...more })).toMatchObject({
    ok: false,
    errors: { [name]: expect.any(String) },
  })
})

it('brokers with IPv6 addresses and blanks are valid', () => {
  expect(validateSettings(kafka, { ...valid, brokers: 'a.example:9092, [::1]:9093' })).toMatchObject({ ok: true })
})
