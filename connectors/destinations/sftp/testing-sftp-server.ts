import { type AddressInfo } from 'node:net'
import ssh2, { type AuthContext, type SFTPWrapper } from 'ssh2'
import { onTestFinished } from 'vitest'
import { fingerprintOf } from './keys.ts'

const { STATUS_CODE: status } = ssh2.utils.sftp

/** An operation of the server, as tests see it. */
export type Operation = { name: 'open' | 'write' | 'close' | 'rename' | 'remove' | 'mkdir' | 'stat'; path: string }

/** The answer to an operation: a status of the protocol instead of its effect, the end of the connection, or no answer. */
type Answer = number | 'cut' | 'hang' | undefined

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
  /** Replaces the effect of operations. */
  answer: (operation: Operation) => Answer
}

const hostKey = ssh2.utils.generateKeyPairSync('ed25519')

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The user that may sign in; `asks` lets the user sign in by a prompt only. */
type Access = { user: string; password?: string; publicKey?: string; asks?: boolean }

const authenticate = (context: AuthContext, { user, password, publicKey, asks = false }: Access): void => {
  if (context.username !== user) return context.reject()
  if (context.method === 'password' && !asks && context.password === password) return context.accept()
  if (context.method === 'keyboard-interactive' && asks)
    return context.prompt('Password: ', (answers) => (answers[0] === password ? context.accept() : context.reject()))
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
    const code = answer ?? effect()
    if (code !== undefined) sftp.status(id, code)
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

/** Starts a server of ssh2 on loopback until the test ends. It has version 3 of the protocol without extensions. */
export const startSftpServer = async (access: Access = { user: 'ada', password: 'secret-1' }): Promise<SftpServer> => {
  const publicKey = ssh2.utils.parseKey(hostKey.public)
  if (publicKey instanceof Error) throw publicKey
  const made: Omit<SftpServer, 'port'> = {
    host: '127.0.0.1',
    fingerprint: fingerprintOf(publicKey.getPublicSSH()),
    files: new Map(),
    folders: new Set(['']),
    operations: [],
    attempts: [],
    answer: () => undefined,
  }
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      made.attempts.push(context.method)
      authenticate(context, access)
    })
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => serveFiles(acceptSftp(), () => client.end(), made))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  return Object.assign(made, { port: (server.address() as AddressInfo).port })
}
