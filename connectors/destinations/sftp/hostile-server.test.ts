import { inspect } from 'node:util'
import { ConfigurationError, RetryableError } from '@tributary/connector-kit'
import { outgoingEvent, runConnectionTest, runConnector, runWithContext } from '@tributary/connector-kit/testing'
import ssh2, { type Connection } from 'ssh2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sftp } from './definition.ts'
import { deliveryError } from './failures.ts'
import { type SftpServer, startSftpServer } from './testing-sftp-server.ts'

const { STATUS_CODE: status } = ssh2.utils.sftp
const access = { user: 'ada', password: 'secret-1' }
const track = outgoingEvent({}, { action: 'write_line' })

const settingsOf = ({ host, port, fingerprint }: SftpServer) => ({ host, port, fingerprint, ...access, format: 'json' })

const write = (server: SftpServer) => runConnector(sftp, settingsOf(server), [track])

const failureOf = (done: Promise<unknown>): Promise<Error> =>
  done.then(
    () => new Error('No failure'),
    (error: Error) => error,
  )

/** Disconnects with the reason SSH_DISCONNECT_PROTOCOL_ERROR (RFC 4253, 11.1), which has the number of a missing file. */
const disconnect = (connection: Connection): void => {
  const { _protocol: protocol } = connection as Connection & { _protocol?: { disconnect(reason: number): void } }
  if (protocol === undefined) throw new Error('The server has no protocol')
  protocol.disconnect(2)
}

const closed = (server: SftpServer) => vi.waitFor(() => expect(server.connections.size).toBe(0))

describe('a server that wants to cost time', () => {
  it.each([0, 1, 1023])(
    'packets of %d bytes end the connection before anything is sent in them',
    async (packetSize) => {
      const server = await startSftpServer(access, { packetSize })
      const failure = await failureOf(write(server))
      expect(failure).toBeInstanceOf(ConfigurationError)
      expect(failure.message).toBe(`The server takes packets of ${packetSize} bytes, which are too small`)
      await closed(server)
    },
  )

  it('packets of 1,024 bytes are enough', async () => {
    const server = await startSftpServer(access, { packetSize: 1024 })
    expect((await write(server)).outcomes).toEqual([{ kind: 'delivered' }])
    expect([...server.files.values()].map(String)).toEqual([`${track.json}\n`])
  })

  it('a client without a place for the check of packets makes no connection', async () => {
    const server = await startSftpServer()
    const connect = vi.spyOn(ssh2.Client.prototype, 'connect').mockReturnThis()
    onTestFinished(() => connect.mockRestore())
    const failure = await failureOf(write(server))
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure.message).toBe('The connection failed: The client of SFTP has no place for the check of packets')
    expect(server.attempts).toEqual([])
    await closed(server)
  })

  it('a server that signs the user in and never starts SFTP is given up after 20 s', async () => {
    const asked = Promise.withResolvers<void>()
    const server = await startSftpServer(access, { onSubsystem: asked.resolve })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const tested = runConnectionTest(sftp, settingsOf(server))
    await asked.promise
    vi.advanceTimersByTime(20_000)
    expect(await tested).toEqual({ ok: false, message: 'Could not connect: Not signed in within 20000 ms' })
    vi.useRealTimers()
    await closed(server)
  })

  it('an interruption ends a connection that is being opened', async () => {
    const interruption = new AbortController()
    const server = await startSftpServer(access, { onSubsystem: () => interruption.abort() })
    const { signal } = interruption
    const failure = await failureOf(
      runWithContext(sftp, settingsOf(server), (context) => sftp.deliver([track], { ...context, signal })),
    )
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure.message).toBe('Interrupted')
    await closed(server)
  })

  it('a channel that the server closes ends the use at once', async () => {
    const server = await startSftpServer()
    server.answer = ({ name }) => (name === 'write' ? 'close' : undefined)
    const failure = await failureOf(write(server))
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure.message).toBe('The server closed the connection')
    await closed(server)
  })

  it('a server that disconnects with a reason during the use is tried again', async () => {
    const server = await startSftpServer()
    server.answer = ({ name }) => {
      if (name !== 'write') return undefined
      for (const connection of server.connections) disconnect(connection)
      return 'hang'
    }
    const failure = await failureOf(write(server))
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure.message).toBe('The server closed the connection')
  })

  /** Lets the server exchange keys a number of times before it takes data. */
  const exchangeKeys = (server: SftpServer, times: number): void => {
    server.answer = ({ name }) => {
      if (name !== 'write') return undefined
      const [connection] = server.connections
      const exchange = (): Promise<void> => new Promise((resolve) => connection?.rekey(() => resolve()))
      return Array.from({ length: times }).reduce<Promise<void>>((done) => done.then(exchange), Promise.resolve())
    }
  }

  it('a server that exchanges keys more than five times for a file is refused', async () => {
    const server = await startSftpServer()
    exchangeKeys(server, 4)
    expect((await write(server)).outcomes).toEqual([{ kind: 'delivered' }])
    exchangeKeys(server, 6)
    const failure = await failureOf(write(server))
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(failure.message).toBe('The server exchanges keys too often')
    await closed(server)
  })
})

describe('a server that asks for the password', () => {
  it.each([
    ['with five prompts gets no answer', { prompts: 5 }, 0],
    ['twice gets one answer', { times: 2 }, 1],
  ] as const)('%s', async (_, faults, answers) => {
    const server = await startSftpServer({ ...access, asks: true }, faults)
    const failure = await failureOf(write(server))
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(failure.message).toBe('The server asks for more than a password')
    expect(server.answers).toHaveLength(answers)
  })

  it('with four prompts gets four answers', async () => {
    const server = await startSftpServer({ ...access, asks: true }, { prompts: 4 })
    expect((await write(server)).outcomes).toEqual([{ kind: 'delivered' }])
    expect(server.answers).toHaveLength(4)
  })
})

describe('the words of a server', () => {
  const words = `${'x'.repeat(290)} ${access.password}`

  it('hide a password that they repeat, also where the reason is cut', async () => {
    const server = await startSftpServer()
    server.answer = ({ name }) => (name === 'open' ? { code: status.FAILURE, words } : undefined)
    const failure = await failureOf(write(server))
    expect(failure.message).toContain('The server answers: xxx')
    expect(failure.message).toMatch(/xxx \[redacte?d?$/)
    expect(inspect(failure, { depth: 9 })).not.toContain('secr')
    expect((await runConnectionTest(sftp, settingsOf(server))).message).toMatch(/xxx \[redacte?d?$/)
  })

  it.each([
    ['a status to mend', { code: status.PERMISSION_DENIED }],
    ['a status to wait for', { code: status.FAILURE }],
    ['a fault of the network', { code: 'ECONNRESET' }],
    ['an error of the handshake', { level: 'handshake' }],
    ['a refusal of the user', { level: 'client-authentication' }],
    ['another error', {}],
  ])('are in no error as a secret: %s', (_, more) => {
    const error = deliveryError(Object.assign(new Error(words), more), [access.password])
    expect(inspect(error.message)).not.toContain('secr')
  })
})

describe('two writers of one file', () => {
  it('do not mix, and the file is whole', async () => {
    const server = await startSftpServer()
    let closes = 0
    let second: ReturnType<typeof write> | undefined
    server.answer = ({ name }) => {
      if (name !== 'close' || closes++ > 0) return undefined
      second = write(server)
      return second
    }
    expect((await write(server)).outcomes).toEqual([{ kind: 'delivered' }])
    expect((await second)?.outcomes).toEqual([{ kind: 'delivered' }])
    expect([...server.files.values()].map(String)).toEqual([`${track.json}\n`])
    const temporary = server.operations.filter(({ name, path }) => name === 'write' && path.endsWith('.part'))
    expect(new Set(temporary.map(({ path }) => path)).size).toBe(2)
  })

  it('a file stays if there is no new one to replace it', async () => {
    const server = await startSftpServer()
    await write(server)
    const [[path] = []] = [...server.files]
    server.answer = ({ name }) => (name === 'rename' ? status.NO_SUCH_FILE : undefined)
    expect(await failureOf(write(server))).toBeInstanceOf(ConfigurationError)
    expect([...server.files.keys()]).toEqual([path])
  })
})
