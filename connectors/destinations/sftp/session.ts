import {
  ConfigurationError,
  type DeliverContext,
  DeliveryError,
  type GuardedStream,
  RetryableError,
} from '@tributary/connector-kit'
import ssh2, { type Algorithms, type Client, type SFTPWrapper } from 'ssh2'
import { keepConnections } from '../../wire/access/kept-connection.ts'
import { deliveryError } from './failures.ts'
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

/** Returns the SFTP channel of a client as soon as the user is signed in. */
const signIn = (client: Client, socket: GuardedStream, settings: SftpSettings): Promise<SFTPWrapper> =>
  new Promise((resolve, reject) => {
    const { user, password, private_key: key } = settings
    let refusal: ConfigurationError | undefined
    client.on('error', (error) => reject(refusal ?? error))
    client.once('close', () => reject(refusal ?? new RetryableError('The server closed the connection')))
    client.once('ready', () => {
      client.sftp((error, sftp) => {
        if (error === undefined) resolve(sftp)
        else reject(new ConfigurationError('The server does not let the user use SFTP', undefined, error))
      })
    })
    // Many servers ask for the password in this form only.
    client.on('keyboard-interactive', (_name, _text, _language, prompts, finish) =>
      finish(prompts.map(() => password ?? '')),
    )
    client.connect({
      sock: socket,
      username: user,
      hostVerifier: (serverKey: Buffer) => {
        refusal = refusalOf(serverKey, settings)
        return refusal === undefined
      },
      algorithms,
      readyTimeout: signInMs,
      ...(password === undefined ? {} : { password, tryKeyboard: true }),
      ...(key === undefined ? {} : { privateKey: privateKeyOf(key).key }),
    })
  })

const open = async (
  { connect, settings, signal }: DeliverContext<SftpSettings>,
  onLost: () => void,
): Promise<Session> => {
  const { host, port } = settings
  const socket = await connect({ host, port, signal, answerBytes, timeoutMs: connectMs })
  const client = new ssh2.Client()
  try {
    const sftp = await signIn(client, socket, settings)
    const waiting: Session['waiting'] = new Set([onLost])
    client.once('close', () => {
      const error = socket.errored ?? new RetryableError('The server closed the connection')
      for (const end of waiting) end(error)
    })
    return { sftp, socket, client, waiting }
  } catch (error) {
    socket.destroy()
    throw socket.errored instanceof DeliveryError ? socket.errored : deliveryError(error)
  }
}

const useKept = keepConnections<SftpSettings, Session>({
  open,
  close: async ({ client, socket }) => {
    client.end()
    socket.destroy()
  },
  failed: (error, session) =>
    session?.socket.errored instanceof DeliveryError ? session.socket.errored : deliveryError(error),
})

/** Runs work on a file with the session of the destination, within the limit of time. One call at a time uses it. */
export const useSession = <T>(
  context: DeliverContext<SftpSettings>,
  work: (session: Session) => Promise<T>,
): Promise<T> =>
  useKept(context, async (session) => {
    const { socket, waiting } = session
    socket.renew()
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
