import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { AuthenticationError, Connection, type ConnectionOptions, metadataV12 } from '@platformatic/kafka'
import { codes, KafkaAnswer, KafkaUnusable, meaningOf } from './errors.ts'
import { createTokens } from './oauth.ts'
import type { BrokerAddress, KafkaOptions } from './options.ts'

const clientId = 'tributary'
const connectMs = 5000
/** Maximum time of a request, ms. It is longer than a broker may wait for its followers. */
const requestMs = 15_000
/** How long a broker may wait for its followers, ms. */
export const acknowledgeMs = 10_000
/** First and longest pause before a retry, ms. */
const pauseMs = { first: 50, longest: 1000 }

/** A topic as reported by the cluster: its ID, and the leader of each partition (-1 for none). */
export type TopicState = { id: string; leaders: number[]; replicas: number }

/** A request of the protocol, as provided by the library. */
type Call<Arguments extends unknown[], Answer> = {
  async(connection: Connection, ...given: Arguments): Promise<Answer>
}

/**
 * Connections to the brokers of a cluster, and the leaders of its partitions. Each reader and writer has its own, since
 * a broker handles the requests of a connection one after the other.
 */
export type Cluster = {
  /** State of topics; missing topics are absent. Fetched again after `forget`. Rejects if no broker responds. */
  topics(names: readonly string[]): Promise<Map<string, TopicState>>
  /** Drops the cached leaders, which are outdated. */
  forget(): void
  /** IDs of the brokers. */
  brokers(): Promise<number[]>
  /**
   * Sends a request to a broker (to any, if undefined). A response with an error for a part of the request is returned
   * like any other: the caller checks its codes. A failed connection is not used again.
   */
  call<Arguments extends unknown[], Answer>(
    node: number | BrokerAddress | undefined,
    call: Call<Arguments, Answer>,
    ...given: Arguments
  ): Promise<Answer>
  /** Closes the connections; pending requests fail. */
  close(): void
  isClosed(): boolean
}

const tlsOf = ({ tls }: KafkaOptions): ConnectionOptions['tls'] =>
  tls === undefined
    ? undefined
    : {
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert }),
        ...(tls.key === undefined ? {} : { key: tls.key }),
      }

const saslOf = ({ sasl }: KafkaOptions): ConnectionOptions['sasl'] => {
  if (sasl === undefined) return undefined
  if (sasl.mechanism !== 'OAUTHBEARER') return sasl
  return {
    mechanism: sasl.mechanism,
    token: createTokens(sasl),
    // A broker reports a rejected token in a response that is not an error (RFC 7628, 3.2.2).
    authBytesValidator: (bytes, callback) =>
      bytes.byteLength === 0
        ? callback(null, bytes)
        : callback(new Error(`Kafka refused the token: ${bytes.toString()}`), bytes),
  }
}

/** The response inside an error of the library that concerns only a part of the request. */
const answerIn = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'response' in error ? error.response : undefined

/** The description of a failure: the first error of several, with its cause. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} ${reasonOf(error.cause)}`
}

const isRefusedLogin = (error: unknown): boolean =>
  error instanceof AuthenticationError || (error instanceof Error && isRefusedLogin(error.cause))

/** Returns how to connect to a broker. */
const createConnect = (options: KafkaOptions): ((address: BrokerAddress) => Promise<Connection>) => {
  const tls = tlsOf(options)
  const sasl = saslOf(options)
  return async ({ host, port }) => {
    const connection = new Connection(clientId, {
      connectTimeout: connectMs,
      requestTimeout: requestMs,
      ...(tls === undefined ? {} : { tls, ...(isIP(host) === 0 ? { tlsServerName: host } : {}) }),
      ...(sasl === undefined ? {} : { sasl }),
    })
    // The waiting caller also gets the error. Without a listener, it would end the process.
    connection.on('error', () => {})
    await connection.connect(host, port)
    return connection
  }
}

/** The open connections to brokers, by address. */
const createConnections = (options: KafkaOptions) => {
  const connections = new Map<string, Promise<Connection>>()
  const connect = createConnect(options)
  let closed = false

  const drop = (key: string, connection: Connection): void => {
    connections.delete(key)
    // After a late response the library cannot find the beginning of the next one.
    connection.socket.destroy()
  }
  const to = (address: BrokerAddress): Promise<Connection> => {
    const key = `${address.host}:${address.port}`
    const open = connections.get(key)
    if (open !== undefined) return open
    const made = connect(address)
    const forget = (): void => {
      if (connections.get(key) === made) connections.delete(key)
    }
    connections.set(key, made)
    made.then((connection) => {
      connection.once('close', forget)
      if (closed) drop(key, connection)
    }, forget)
    return made
  }

  return {
    to,
    drop,
    isClosed: () => closed,
    close(): void {
      closed = true
      for (const [key, open] of connections)
        open.then(
          (connection) => drop(key, connection),
          () => {},
        )
      connections.clear()
    },
  }
}

/** Creates the client of a cluster. It connects on first use. */
export const openCluster = (options: KafkaOptions): Cluster => {
  const connections = createConnections(options)
  let nodes = new Map<number, BrokerAddress>()
  let known = new Map<string, TopicState>()

  const callAt = async <Arguments extends unknown[], Answer>(
    address: BrokerAddress,
    call: Call<Arguments, Answer>,
    given: Arguments,
  ): Promise<Answer> => {
    if (connections.isClosed()) throw new Error('The connections to Kafka are closed')
    const connection = await connections.to(address)
    try {
      return await call.async(connection, ...given)
    } catch (error) {
      const answer = answerIn(error)
      if (answer !== undefined) return answer as Answer
      connections.drop(`${address.host}:${address.port}`, connection)
      throw error
    }
  }
  /**
   * Sends a request to any broker that responds. The brokers that the cluster reported come first, since they are
   * current.
   */
  const callAny = async <Arguments extends unknown[], Answer>(
    call: Call<Arguments, Answer>,
    given: Arguments,
  ): Promise<Answer> => {
    let failure: unknown
    for (const address of [...nodes.values(), ...options.brokers]) {
      try {
        return await callAt(address, call, given)
      } catch (error) {
        failure = error
      }
    }
    if (isRefusedLogin(failure)) throw new KafkaUnusable(`Kafka refuses the credentials: ${reasonOf(failure)}`, failure)
    throw failure
  }
  const load = async (names: readonly string[]): Promise<void> => {
    const answer = await callAny(metadataV12.api, [[...names], false, false])
    nodes = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]))
    for (const { errorCode, name, topicId, partitions } of answer.topics) {
      if (errorCode === codes.topicDenied)
        throw new KafkaUnusable(`Kafka does not let this user see the topic ${name}, or it does not exist`)
      if (errorCode === codes.unknownTopic || name == null) continue
      if (errorCode !== codes.none && partitions.length === 0) throw new KafkaAnswer(errorCode, `topic ${name}`)
      const leaders: number[] = []
      for (const { partitionIndex, leaderId } of partitions) leaders[partitionIndex] = leaderId
      known.set(name, { id: topicId, leaders, replicas: partitions[0]?.replicaNodes.length ?? 0 })
    }
  }

  return {
    async topics(names) {
      if (names.some((name) => !known.has(name))) await load(names)
      return new Map([...known].filter(([name]) => names.includes(name)))
    },
    forget() {
      known = new Map()
    },
    async brokers() {
      if (nodes.size === 0) await load([])
      return [...nodes.keys()]
    },
    async call(node, call, ...given) {
      if (node === undefined) return await callAny(call, given)
      if (typeof node !== 'number') return await callAt(node, call, given)
      const address = nodes.get(node)
      if (address === undefined) throw new Error(`Kafka has no broker ${node} now`)
      return await callAt(address, call, given)
    },
    close() {
      connections.close()
    },
    isClosed: connections.isClosed,
  }
}

/**
 * Retries a task until it succeeds, with growing pauses, and fetches the leaders again. Rejects immediately for final
 * errors, and for others after `deadlineMs`.
 */
export const persistently = async <Value>(
  cluster: Pick<Cluster, 'forget' | 'isClosed'>,
  deadlineMs: number,
  task: () => Promise<Value>,
): Promise<Value> => {
  const until = performance.now() + deadlineMs
  for (let wait = pauseMs.first; ; wait = Math.min(wait * 2, pauseMs.longest)) {
    try {
      return await task()
    } catch (error) {
      const isFinal = error instanceof KafkaAnswer ? meaningOf(error.code) !== 'again' : error instanceof KafkaUnusable
      if (isFinal || cluster.isClosed() || performance.now() + wait > until) throw error
      cluster.forget()
      await pause(wait)
    }
  }
}
