import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  ConfigurationError,
  type DataSourceContext,
  type GuardedStream,
  RetryableError,
} from '@tributary/connector-kit'
import type { DatabaseAccess } from '../access/access.ts'
import { tlsOptions } from '../access/certificates.ts'
import { exceptionIn } from './failures.ts'

/**
 * Maximum number of bytes of a response that is read as a whole, and of data that the server can send before it is
 * read.
 */
export const answerBytes = 8 * 1024 * 1024
/** Maximum bytes of an error response that are read. */
const refusalBytes = 64 * 1024

/** A response whose rows have begun. The caller must destroy the stream. */
export type Answered = { response: AsyncIterable<Buffer>; stream: GuardedStream }

/** Creates the error for a status that comes from a proxy, or from a server that is not ClickHouse. */
const refusalOf = (status: number): Error => {
  const words = `The server responded with status ${status}, and not as ClickHouse does`
  return status >= 500 || status === 429 ? new RetryableError(words) : new ConfigurationError(words)
}

const textOf = async (response: AsyncIterable<Buffer>, most: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= most) break
  }
  return Buffer.concat(chunks).toString()
}

/**
 * Sends a statement with its settings on a new guarded connection. Rejects with ServerException, a DeliveryError or the
 * error of the network.
 */
export const sendQuery = async (
  access: DatabaseAccess,
  { connect, signal }: Pick<DataSourceContext, 'connect' | 'signal'>,
  sql: string,
  given: Readonly<Record<string, string>>,
): Promise<Answered> => {
  const { host, port, database, user, password = '' } = access
  const stream = await connect({ host, port, signal, answerBytes })
  try {
    const tls = tlsOptions(access)
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket =
      tls === false ? stream : connectTls({ socket: stream, host, ALPNProtocols: ['http/1.1'], ...name, ...tls })
    const send = tls === false ? requestHttp : requestHttps
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      send(
        {
          host,
          port,
          method: 'POST',
          path: `/?${new URLSearchParams({ database, ...given }).toString()}`,
          headers: {
            authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
            'content-type': 'text/plain; charset=UTF-8',
            'accept-encoding': 'identity',
            'user-agent': 'Tributary',
          },
          signal,
          createConnection: () => socket,
        },
        resolve,
      )
        .once('error', reject)
        .end(sql)
    })
    const status = response.statusCode ?? 0
    if (status === 200 && response.headers['x-clickhouse-exception-code'] === undefined) return { response, stream }
    throw exceptionIn(await textOf(response, refusalBytes)) ?? refusalOf(status)
  } catch (error) {
    stream.destroy()
    // Prefers the guard's reason for closing the connection, because the parser's error does not have it.
    throw stream.errored ?? error
  }
}
