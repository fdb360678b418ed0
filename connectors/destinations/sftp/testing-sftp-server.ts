import { type AddressInfo } from 'node:net'
import ssh2, { type AuthContext, type Connection, type SFTPWrapper } from 'ssh2'
import { onTestFinished } from 'vitest'
import { fingerprintOf } from './keys.ts'

const { STATUS_CODE: status } = ssh2.utils.sftp

/** An operation of the server, as tests see it. */
export type Operation = { name: 'open' | 'write' | 'close' | 'rename' | 'remove' | 'mkdir' | 'stat'; path: string }

/**
 * The answer to an operation: a status of the protocol instead of its effect, also with words; the end of the connection
 * or its channel; or no answer. After a promise, it has its effect.
 */
type Answer = number | { code: number; words: string } | 'cut' | 'close' | 'hang' | Promise<unknown> | undefined

export type SftpServer = {
  host: '127.0.0.1'
  port: number
  /** The fingerprint of the server's key. */
  fingerprint: string
  files: Map<string, Buffer>
  folders: Set<string>
  operations: Operation[]
  /** Names of the ways in which users signed in, also in vain. */
  attempts: string[]
  /** Answers to prompts. */
  answers: string[]
  /** The connections of clients that are open. */
  connections: Set<Connection>
  /** Replaces the effect of operations. */
  answer: (operation: Operation) => Answer
}

const hostKey = ssh2.utils.generateKeyPairSync('ed25519')

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The user that may sign in; `asks` lets the user sign in by a prompt only. */
type Access = { user: string; password?: string; publicKey?: string; asks?: boolean }

/**
 * How a server misbehaves: it takes packets of `packetSize` bytes, asks `prompts` questions `times` times, or calls
 * `onSubsystem` and does not start SFTP.
 */
type Faults = { packetSize?: number; prompts?: number; times?: number; onSubsystem?: () => void }

const authenticate = (
  context: AuthContext,
  { user, password, publicKey, asks = false }: Access,
  { answers, prompts = 1, times = 1 }: { answers: string[] } & Faults,
): void => {
  if (context.username !== user) return context.reject()
  if (context.method === 'password' && !asks && context.password === password) return context.accept()
  if (context.method === 'keyboard-interactive' && asks) {
    const ask = (left: number): void =>
      context.prompt(Array<string>(prompts).fill('Password: '), (given) => {
        answers.push(...given)
        if (left > 1) ask(left - 1)
        else if (given[0] === password) context.accept()
        else context.reject()
      })
    return ask(times)
  }
  const known = publicKey === undefined ? undefined : ssh2.utils.parseKey(publicKey)
  if (context.method !== 'publickey' || known === undefined || known instanceof Error)
    return context.reject(asks ? ['keyboard-interactive'] : ['password', 'publickey'])
  const { key, signature, blob, hashAlgo } = context
  const isSigned = signature === undefined || (blob !== undefined && known.verify(blob, signature, hashAlgo) === true)
  return key.data.equals(known.getPublicSSH()) && isSigned ? context.accept() : context.reject()
}

/** Serves files in memory: a rename does not replace a file, and folders are not created by themselves. */
const serveFiles = (sftp: SFTPWrapper, cut: () => void, made: Omit<SftpServer, 'port'>): void => {
  const { files, folders } = made
  const handles = new Map<number, string>()
  const pathOf = (handle: Buffer): string => handles.get(handle.readUInt32BE(0)) ?? ''
  /** Runs the effect of an operation, unless the test answers it. Without a status, the effect answered itself. */
  const serve = (id: number, operation: Operation, effect: () => number | undefined): void => {
    made.operations.push(operation)
    const answer = made.answer(operation)
    if (answer === 'hang') return
    if (answer === 'cut') return cut()
    if (answer === 'close') return sftp.end()
    const act = (): void => {
      const code = effect()
      if (code !== undefined) sftp.status(id, code)
    }
    if (answer instanceof Promise) void answer.then(act)
    else if (typeof answer === 'object') sftp.status(id, answer.code, answer.words)
    else if (answer !== undefined) sftp.status(id, answer)
    else act()
  }
  sftp.on('OPEN', (id, path) =>
    serve(id, { name: 'open', path }, () => {
      if (!folders.has(parentOf(path))) return status.NO_SUCH_FILE
      const handle = Buffer.alloc(4)
      handle.writeUInt32BE(handles.size)
      handles.set(handles.size, path)
      files.set(path, Buffer.alloc(0))
      sftp.handle(id, handle)
      return undefined
    }),
  )
  sftp.on('WRITE', (id, handle, offset, data) =>
    serve(id, { name: 'write', path: pathOf(handle) }, () => {
      const old = files.get(pathOf(handle)) ?? Buffer.alloc(0)
      const whole = Buffer.alloc(Math.max(old.length, offset + data.length))
      old.copy(whole)
      data.copy(whole, offset)
      files.set(pathOf(handle), whole)
      return status.OK
    }),
  )
  sftp.on('CLOSE', (id, handle) => serve(id, { name: 'close', path: pathOf(handle) }, () => status.OK))
  sftp.on('RENAME', (id, from, to) =>
    serve(id, { name: 'rename', path: to }, () => {
      const file = files.get(from)
      if (file === undefined) return status.NO_SUCH_FILE
      if (files.has(to)) return status.FAILURE
      files.delete(from)
      files.set(to, file)
      return status.OK
    }),
  )
  sftp.on('REMOVE', (id, path) =>
    serve(id, { name: 'remove', path }, () => (files.delete(path) ? status.OK : status.NO_SUCH_FILE)),
  )
  sftp.on('MKDIR', (id, path) =>
    serve(id, { name: 'mkdir', path }, () => {
      if (!folders.has(parentOf(path))) return status.NO_SUCH_FILE
      folders.add(path)
      return status.OK
    }),
  )
  sftp.on('STAT', (id, path) => {
    if (!folders.has(path)) return sftp.status(id, status.NO_SUCH_FILE)
    sftp.attrs(id, { mode: 0o40755, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 })
  })
}

/** Makes a connection of the server name another packet size. The server of ssh2 has no setting for it. */
const namePacketSize = (client: Connection, packetSize: number): void => {
  type Confirm = (remote: number, local: number, window: number, packetSize: number) => void
  const { _protocol: protocol } = client as Connection & { _protocol?: { channelOpenConfirm: Confirm } }
  if (protocol === undefined) throw new Error('The server has no protocol')
  const confirm = protocol.channelOpenConfirm.bind(protocol)
  protocol.channelOpenConfirm = (remote, local, window) => confirm(remote, local, window, packetSize)
}

/** Starts a server of ssh2 on loopback until the test ends. It has version 3 of the protocol without extensions. */
export const startSftpServer = async (
  access: Access = { user: 'ada', password: 'secret-1' },
  faults: Faults = {},
): Promise<SftpServer> => {
  const publicKey = ssh2.utils.parseKey(hostKey.public)
  if (publicKey instanceof Error) throw publicKey
  const made: Omit<SftpServer, 'port'> = {
    host: '127.0.0.1',
    fingerprint: fingerprintOf(publicKey.getPublicSSH()),
    files: new Map(),
    folders: new Set(['']),
    operations: [],
    attempts: [],
    answers: [],
    connections: new Set(),
    answer: () => undefined,
  }
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    made.connections.add(client)
    client.once('close', () => void made.connections.delete(client))
    client.on('error', () => {})
    if (faults.packetSize !== undefined) namePacketSize(client, faults.packetSize)
    client.on('authentication', (context) => {
      made.attempts.push(context.method)
      authenticate(context, access, { answers: made.answers, ...faults })
    })
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => {
        if (faults.onSubsystem === undefined) serveFiles(acceptSftp(), () => client.end(), made)
        else faults.onSubsystem()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  return Object.assign(made, { port: (server.address() as AddressInfo).port })
}
