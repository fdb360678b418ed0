import {
  ConfigurationError,
  type DeliverContext,
  DeliveryError,
  type GuardedStream,
  type Lifetime,
  RetryableError,
} from '@tributary/connector-kit'
import ssh2, { type Algorithms, type Client, type SFTPWrapper } from 'ssh2'
import { keepConnections } from '../../wire/access/kept-connection.ts'
import { deliveryError, isAnswer } from './failures.ts'
import { answerPrompts, limitHandshakes, refuseTinyPackets } from './guards.ts'
import { fingerprintOf, fingerprintsOf, privateKeyOf } from './keys.ts'
import type { SftpSettings } from './settings.ts'

/** Limits of time in ms: to connect, to sign in, and to write one file. */
const connectMs = 10_000
const signInMs = 20_000
const fileMs = 120_000
/** Maximum bytes that a server sends for one file. It confirms each part with less than 100. */
const answerBytes = 1024 * 1024

/**
 * Algorithms that the client offers. Left out are SHA-1, primes that the server chooses, which cost much time, and
 * compression, with which little data becomes much.
 */
const algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group16-sha512',
  ],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  compress: ['none'],
} satisfies Algorithms

/** A signed-in session. `waiting` are functions that are called when its connection is lost. */
export type Session = {
  readonly sftp: SFTPWrapper
  readonly socket: GuardedStream
  readonly client: Client
  readonly waiting: Set<(error: unknown) => void>
  /** Values that a server must not bring into an error. */
  readonly secrets: readonly string[]
  /** Temporary files that the destination may have left on the server. */
  readonly left: Set<string>
  /** Begins a new count of what the server may cost. */
  readonly renew: () => void
}

const leftBy = new WeakMap<Lifetime, Set<string>>()

/** Returns the names of temporary files that a destination left, which outlast its connections. */
const leftOf = (lifetime: Lifetime): Set<string> => {
  const left = leftBy.get(lifetime) ?? new Set()
  leftBy.set(lifetime, left)
  return left
}

/** Returns why a server with this key gets no password; undefined if its fingerprint is in the settings. */
const refusalOf = (key: Uint8Array, { fingerprint, host }: SftpSettings): ConfigurationError | undefined => {
  const found = fingerprintOf(key)
  if (fingerprint === undefined)
    return new ConfigurationError(
      `${host} has the key ${found}. Compare it with that of your server, then enter it as fingerprint in the settings`,
    )
  if (fingerprintsOf(fingerprint)?.includes(found) === true) return undefined
  return new ConfigurationError(`${host} has the key ${found}, which is not the one in the settings`)
}

/** Returns the SFTP channel of a client as soon as the user is signed in. `end` ends the connection with an error. */
const signIn = (
  client: Client,
  { socket, settings, secrets }: { socket: GuardedStream; settings: SftpSettings; secrets: readonly string[] },
  end: (error: DeliveryError) => void,
): Promise<SFTPWrapper> =>
  new Promise((resolve, reject) => {
    const { user, password, private_key: key } = settings
    let refusal: ConfigurationError | undefined
    let isReady = false
    const fail = (error: unknown): void => {
      const failure = refusal ?? deliveryError(error, secrets)
      end(failure)
      reject(failure)
    }
    const lost = (): void => fail(new RetryableError('The server closed the connection'))
    // A server that disconnects for a reason of its own was set up right before, so the next connection can succeed.
    client.on('error', (error) => (isReady && isAnswer(error) ? lost() : fail(error)))
    client.once('close', lost)
    client.once('ready', () => {
      client.sftp((error, sftp) => {
        if (error !== undefined) return fail(new ConfigurationError('The server does not let the user use SFTP'))
        // Without its channel, the connection is of no use, and requests that wait are never answered.
        sftp.once('error', fail).once('end', lost).once('close', lost)
        isReady = true
        resolve(sftp)
      })
    })
    answerPrompts(client, password, end)
    client.connect({
      sock: socket,
      username: user,
      hostVerifier: (serverKey: Buffer) => {
        refusal = refusalOf(serverKey, settings)
        return refusal === undefined
      },
      algorithms,
      // The limit of `open` includes the time after the user is signed in, which this one does not.
      readyTimeout: 0,
      ...(password === undefined ? {} : { password, tryKeyboard: true }),
      ...(key === undefined ? {} : { privateKey: privateKeyOf(key).key }),
    })
    refuseTinyPackets(client, end)
  })

const open = async (
  { connect, settings, signal, lifetime }: DeliverContext<SftpSettings>,
  onLost: () => void,
): Promise<Session> => {
  const { host, port, password, private_key: key } = settings
  const secrets = [password, key].filter((secret) => secret !== undefined)
  const socket = await connect({ host, port, signal, answerBytes, timeoutMs: connectMs })
  const end = (error: DeliveryError): void => void socket.destroy(error)
  const timer = setTimeout(() => end(new RetryableError(`Not signed in within ${signInMs} ms`)), signInMs)
  const onAbort = (): void => end(new RetryableError('Interrupted'))
  signal.addEventListener('abort', onAbort, { once: true })
  const client = new ssh2.Client()
  const renewHandshakes = limitHandshakes(client, end)
  try {
    const sftp = await signIn(client, { socket, settings, secrets }, end)
    const waiting: Session['waiting'] = new Set([onLost])
    client.once('close', () => {
      const error = socket.errored ?? new RetryableError('The server closed the connection')
      for (const lose of waiting) lose(error)
    })
    const renew = (): void => {
      socket.renew()
      renewHandshakes()
    }
    return { sftp, socket, client, waiting, secrets, left: leftOf(lifetime), renew }
  } catch (error) {
    socket.destroy()
    throw socket.errored instanceof DeliveryError ? socket.errored : deliveryError(error, secrets)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

const useKept = keepConnections<SftpSettings, Session>({
  open,
  close: async ({ client, socket }) => {
    client.end()
    socket.destroy()
  },
  failed: (error, session) =>
    session?.socket.errored instanceof DeliveryError
      ? session.socket.errored
      : deliveryError(error, session?.secrets ?? []),
})

/** Runs work on a file with the session of the destination, within the limit of time. One call at a time uses it. */
export const useSession = <T>(
  context: DeliverContext<SftpSettings>,
  work: (session: Session) => Promise<T>,
): Promise<T> =>
  useKept(context, async (session) => {
    const { socket, waiting } = session
    session.renew()
    const timer = setTimeout(() => socket.destroy(new RetryableError(`Not finished within ${fileMs} ms`)), fileMs)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    waiting.add(reject)
    try {
      work(session).then(resolve, reject)
      return await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(reject)
    }
  })
