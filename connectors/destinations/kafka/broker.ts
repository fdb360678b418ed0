import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as startTls } from 'node:tls'
import {
  type Callback,
  type Connection,
  Reader,
  type ResponseParser,
  saslAuthenticateV2,
  saslHandshakeV1,
  saslPlain,
  saslScramSha,
  Writer,
} from '@platformatic/kafka'
import { ConfigurationError, type DeliverContext, DeliveryError, RetryableError } from '@tributary/connector-kit'
import { tlsOptions } from '../../wire/access/certificates.ts'
import { deliveryError } from './failures.ts'
import type { BrokerAddress, KafkaSettings } from './settings.ts'

/** Maximum bytes of a response. That for a topic of a thousand partitions has a tenth. */
const answerBytes = 1024 * 1024
/** Maximum wait for a response. A broker waits up to 30 s for its replicas. */
const answerMs = 40_000
const connectMs = 10_000
/** Maximum rounds of hashing that a broker can demand. Kafka uses 4096 to 16,384. */
const maxIterations = 200_000

/** An open connection to a broker, in the form that the library's requests need. */
export type Broker = {
  readonly connection: Connection
  readonly isOpen: () => boolean
  readonly close: () => void
}

type Pending = {
  id: number
  key: number
  version: number
  parser: ResponseParser<unknown>
  hasTags: boolean
  callback: Callback<never>
}

/**
 * Sends requests of the library on a guarded stream, one at a time, by the form of Kafka's protocol
 * (https://kafka.apache.org/protocol#protocol_messages). The library's own connection opens its socket itself.
 */
const createRequests = (stream: Duplex, renew: () => void) => {
  let pending: Pending | undefined
  let timer: NodeJS.Timeout | undefined
  let received: Buffer = Buffer.alloc(0)
  let next = 1

  const settle = (error: Error | null, answer?: unknown): void => {
    const settled = pending
    pending = undefined
    clearTimeout(timer)
    settled?.callback(error, answer as never)
  }
  const fail = (error: Error): void => {
    stream.destroy()
    settle(error)
  }
  const read = (frame: Buffer): void => {
    if (pending === undefined || frame.length < 4 || frame.readInt32BE(0) !== pending.id)
      return fail(new ConfigurationError('The server does not respond as Kafka does'))
    const { key, version, parser, id, hasTags } = pending
    let answer: unknown
    let failure: Error | null = null
    try {
      answer = parser(id, key, version, Reader.from(frame.subarray(hasTags ? 5 : 4)))
    } catch (error) {
      failure = error instanceof Error ? error : new RetryableError('The response cannot be read')
    }
    try {
      settle(failure, answer)
    } catch (error) {
      // The library's sign-in throws here if it cannot read what a broker sent.
      stream.destroy(new ConfigurationError('The broker cannot be signed in to', undefined, error))
    }
  }
  stream.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    while (received.length >= 4) {
      const size = received.readInt32BE(0)
      if (size < 0 || size > answerBytes)
        return fail(new ConfigurationError('The server does not respond as Kafka does'))
      if (received.length < size + 4) return
      const frame = received.subarray(4, size + 4)
      received = received.subarray(size + 4)
      read(frame)
    }
  })
  stream.on('error', (error) => settle(error))
  stream.on('close', () =>
    settle(new RetryableError('The broker closed the connection. Check encryption and authentication')),
  )
  const send: Connection['send'] = (key, version, createPayload, parser, hasTags, hasAnswerTags, callback) => {
    if (pending !== undefined || stream.destroyed) return callback(new RetryableError('The connection is closed'))
    renew()
    const id = next++
    const writer = Writer.create()
      .appendInt16(key)
      .appendInt16(version)
      .appendInt32(id)
      .appendString('tributary', false)
    if (hasTags) writer.appendTaggedFields()
    writer.appendFrom(createPayload()).prependLength()
    pending = { id, key, version, parser, hasTags: hasAnswerTags, callback: callback as Callback<never> }
    timer = setTimeout(() => fail(new RetryableError(`No response within ${answerMs} ms`)), answerMs)
    stream.write(writer.buffer)
  }
  return { send }
}

const encrypt = (socket: Duplex, host: string, settings: KafkaSettings): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const options = tlsOptions(settings)
    if (options === false) return resolve(socket)
    const stream = startTls({ ...options, socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) })
    const timer = setTimeout(() => stream.destroy(new RetryableError('No TLS handshake in time')), connectMs)
    const end = (error: Error): void => {
      clearTimeout(timer)
      reject(error)
    }
    stream.once('error', end)
    stream.once('close', () => end(new RetryableError('The broker closed the connection. Check the encryption')))
    stream.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(stream)
    })
  })

const signIn = async (connection: Connection, settings: KafkaSettings): Promise<void> => {
  const { authentication, user = '', password = '' } = settings
  if (authentication === 'none') return
  await saslHandshakeV1.api.async(connection, authentication.toUpperCase())
  if (authentication === 'plain') await saslPlain.authenticate(saslAuthenticateV2.api, connection, user, password)
  else {
    const { defaultCrypto } = saslScramSha
    const hi: typeof defaultCrypto.hi = async (definition, secret, salt, iterations) => {
      if (iterations > maxIterations) throw new ConfigurationError(`The broker demands ${iterations} rounds of hashing`)
      return await defaultCrypto.hi(definition, secret, salt, iterations)
    }
    const algorithm = authentication === 'scram-sha-256' ? 'SHA-256' : 'SHA-512'
    const crypto = { ...defaultCrypto, hi }
    await saslScramSha.authenticate(saslAuthenticateV2.api, connection, algorithm, user, password, crypto)
  }
}

/** Connects to a broker at a checked address, and signs in. Rejects with a DeliveryError. */
export const openBroker = async (
  { host, port }: BrokerAddress,
  { connect, signal, settings }: Pick<DeliverContext<KafkaSettings>, 'connect' | 'signal' | 'settings'>,
  onLost: () => void,
): Promise<Broker> => {
  const socket = await connect({ host, port, signal, answerBytes, timeoutMs: connectMs })
  try {
    const stream = await encrypt(socket, host, settings)
    const { send } = createRequests(stream, () => socket.renew())
    // The library's requests use only this member.
    const connection = { send } as unknown as Connection
    const lost = new Promise<never>((_, reject) => {
      stream.once('close', () => reject(stream.errored ?? new RetryableError('The broker closed the connection')))
    })
    await Promise.race([signIn(connection, settings), lost])
    lost.catch(onLost)
    return { connection, isOpen: () => !stream.destroyed, close: () => stream.destroy() }
  } catch (error) {
    socket.destroy()
    throw socket.errored instanceof DeliveryError ? socket.errored : deliveryError(error)
  }
}
