import { createHash } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { gunzipSync } from 'node:zlib'
import {
  ConfigurationError,
  createEgressPolicy,
  EgressRefusedError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import {
  outgoingEvent,
  runConnectionTest,
  runConnector,
  runConnectorRows,
  runWithContext,
} from '@tributary/connector-kit/testing'
import ssh2 from 'ssh2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sftp } from './definition.ts'
import { fingerprintOf, fingerprintsOf, privateKeyOf } from './keys.ts'
import { type SftpServer, startSftpServer } from './testing-sftp-server.ts'

const { STATUS_CODE: status } = ssh2.utils.sftp
const password = 'secret-1'

const track = outgoingEvent({ properties: { note: 'ü' } }, { action: 'write_line' })
const identify = outgoingEvent(
  { eventId: '0-2-0', messageId: 'message-2', type: 'identify', event: '', traits: { plan: 'pro' } },
  { action: 'write_line' },
)

const settingsOf = ({ host, port, fingerprint }: SftpServer, more: object = {}) => ({
  host,
  port,
  fingerprint,
  user: 'ada',
  password,
  ...more,
})

const failureOf = async (settings: object, options = {}): Promise<ConfigurationError> =>
  (await runConnector(sftp, { ...settings }, [track], options).catch((error: unknown) => error)) as ConfigurationError

const linesOf = (file: Buffer | undefined): string => gunzipSync(file ?? '').toString()

describe('files on a server of ssh2', () => {
  it('an event arrives as a file with one line, written under another name and renamed', async () => {
    const server = await startSftpServer()
    const { outcomes } = await runConnector(sftp, settingsOf(server), [track])
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    const [[path, file] = []] = [...server.files]
    expect(server.files.size).toBe(1)
    expect(path).toMatch(/^events\/dt=2026-01-02\/hr=03\/[-0-9a-f]+\.json\.gz$/)
    expect(linesOf(file)).toBe(`${track.json}\n`)
    const temporary = server.operations[0]?.path ?? ''
    expect(temporary.replace(/\.[0-9a-f]{16}\.part$/, '')).toBe(path?.replace(/([^/]+)$/, '.$1'))
    expect(server.operations.filter(({ name }) => name !== 'mkdir')).toEqual([
      { name: 'open', path: temporary },
      { name: 'open', path: temporary },
      { name: 'write', path: temporary },
      { name: 'close', path: temporary },
      { name: 'rename', path },
    ])
    expect([...server.folders]).toEqual(['', 'events', 'events/dt=2026-01-02', 'events/dt=2026-01-02/hr=03'])
  })

  it('a batch is one file with its lines in order, and a repeated batch replaces its file', async () => {
    const server = await startSftpServer()
    const settings = settingsOf(server, { format: 'json', prefix: '/upload/events' })
    server.folders.add('/upload')
    expect(await runConnectionTest(sftp, settings)).toMatchObject({
      message: expect.stringContaining('The file /upload/events/.tributary-test on') as string,
    })
    for (let time = 0; time < 2; time++) {
      const { outcomes } = await runConnector(sftp, settings, [track, identify])
      expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
    }
    const [[path, file] = []] = [...server.files]
    expect(server.files.size).toBe(1)
    expect(path).toMatch(/^\/upload\/events\/dt=2026-01-02\//)
    expect(file?.toString()).toBe(`${track.json}\n${identify.json}\n`)
  })

  it('a large file arrives whole', async () => {
    const server = await startSftpServer()
    const events = Array.from({ length: 30 }, (_, at) =>
      outgoingEvent({ eventId: `0-${at}-0`, properties: { text: `${at}`.repeat(50_000) } }, { action: 'write_line' }),
    )
    const { outcomes } = await runConnector(sftp, settingsOf(server, { format: 'json' }), events)
    expect(outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
    expect([...server.files.values()].map(String)).toEqual([`${events.map(({ json }) => json).join('\n')}\n`])
  })

  it('rows of a sync are lines of a file', async () => {
    const server = await startSftpServer()
    const row = { recordId: 'run-1.1', operation: 'upsert' as const, object: 'changes/ndjson/customers', key: 'a' }
    await runConnectorRows(sftp, settingsOf(server), [{ ...row, json: '{"id":"a"}' }], {
      now: Date.parse('2026-01-31T13:00:00Z'),
    })
    const [[path, file] = []] = [...server.files]
    expect(path).toMatch(/^events\/customers\/run=run-1\/1-[0-9a-f]{16}\.ndjson\.gz$/)
    expect(linesOf(file)).toBe('{"_operation":"upsert","_key":"a","_written_at":"2026-01-31T13:00:00.000Z","id":"a"}\n')
  })

  it('a file that was written is not written again if another of the batch fails', async () => {
    const server = await startSftpServer()
    const later = outgoingEvent({ eventId: '0-3-0', receivedAt: '2026-01-02T04:04:05.678Z' }, { action: 'write_line' })
    server.answer = ({ name, path }) => (name === 'open' && path.includes('hr=04') ? status.FAILURE : undefined)
    const { outcomes } = await runConnector(sftp, settingsOf(server), [track, later])
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'retry', reason: 'The server answers: Failure' }])
    expect([...server.files.keys()].every((path) => path.includes('hr=03'))).toBe(true)
  })
})

describe('signing in', () => {
  it('the connection test signs in, and writes and removes a file', async () => {
    const server = await startSftpServer()
    expect(await runConnectionTest(sftp, settingsOf(server))).toEqual({
      ok: true,
      message: 'The file events/.tributary-test on 127.0.0.1 was written and deleted.',
    })
    expect(server.files.size).toBe(0)
    expect(server.operations.some(({ path }) => path === 'events/.tributary-test')).toBe(true)
  })

  it.each<[string, string | undefined]>([
    ['is not in the settings', undefined],
    ['differs from the settings', 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'],
  ])('a server whose fingerprint %s gets no password, and the connection test shows it', async (_, fingerprint) => {
    const server = await startSftpServer()
    const settings = settingsOf(server, { fingerprint })
    const failure = await failureOf(settings)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(server.attempts).toEqual([])
    const tested = await runConnectionTest(sftp, settings)
    expect(tested).toEqual({ ok: false, message: expect.stringContaining(server.fingerprint) as string })
  })

  it('one of several fingerprints is enough', async () => {
    const server = await startSftpServer()
    const fingerprint = `SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU, ${server.fingerprint}`
    expect(await runConnectionTest(sftp, settingsOf(server, { fingerprint }))).toMatchObject({ ok: true })
  })

  it('a wrong password holds the events, and is in nothing that is stored', async () => {
    const server = await startSftpServer()
    const settings = settingsOf(server, { password: 'wrong-secret' })
    const failure = await failureOf(settings)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(failure.message).toBe('The server refuses the user, the password, or the key')
    expect(failure.exchange?.request).toMatch(/^Write \d+ bytes to events\/.* at ada@127\.0\.0\.1:\d+$/)
    expect(JSON.stringify(failure.exchange)).not.toContain('wrong-secret')
    expect(await runConnectionTest(sftp, settings)).toEqual({ ok: false, message: failure.message })
  })

  it('a server that asks for the password gets it', async () => {
    const server = await startSftpServer({ user: 'ada', password, asks: true })
    expect((await runConnector(sftp, settingsOf(server), [track])).outcomes).toEqual([{ kind: 'delivered' }])
    expect(server.attempts).toContain('keyboard-interactive')
  })

  it.each(['ed25519', 'rsa', 'ecdsa'] as const)(
    'a private key of type %s signs in, also without line ends',
    async (type) => {
      const bits = { ed25519: {}, rsa: { bits: 2048 }, ecdsa: { bits: 256 } }[type]
      const pair = ssh2.utils.generateKeyPairSync(type as 'ecdsa', bits as { bits: 256 })
      const server = await startSftpServer({ user: 'ada', publicKey: pair.public })
      for (const key of [pair.private, pair.private.replaceAll('\n', '')]) {
        const settings = settingsOf(server, { password: undefined, private_key: key })
        expect((await runConnector(sftp, settings, [track])).outcomes).toEqual([{ kind: 'delivered' }])
      }
      const other = ssh2.utils.generateKeyPairSync('ed25519').private
      expect(await failureOf(settingsOf(server, { password: undefined, private_key: other }))).toBeInstanceOf(
        ConfigurationError,
      )
    },
  )
})

describe('faults', () => {
  it.each([
    ['a folder without permission', 'open', status.PERMISSION_DENIED, ConfigurationError, 'Permission denied'],
    ['a full disk', 'write', status.FAILURE, RetryableError, 'Failure'],
    ['a lost connection', 'write', 'cut', RetryableError, 'closed the connection'],
    ['a failed rename', 'rename', status.FAILURE, RetryableError, 'Failure'],
  ] as const)('%s holds or repeats the events, and leaves no file', async (_, name, answer, kind, message) => {
    const server = await startSftpServer()
    server.answer = (operation) => (operation.name === name ? answer : undefined)
    const failure = await failureOf(settingsOf(server))
    expect(failure).toBeInstanceOf(kind)
    expect(failure.message).toContain(message)
    expect([...server.files.keys()].filter((path) => !path.endsWith('.part'))).toEqual([])
    if (answer !== 'cut') expect(server.files.size).toBe(0)
  })

  it('after a lost connection, the batch is written whole, and its part is gone', async () => {
    const server = await startSftpServer()
    let cuts = 1
    server.answer = ({ name }) => (name === 'close' && cuts-- > 0 ? 'cut' : undefined)
    await runWithContext(sftp, settingsOf(server), async (context) => {
      await expect(sftp.deliver([track], context)).rejects.toBeInstanceOf(RetryableError)
      expect([...server.files.keys()].map((path) => path.endsWith('.part'))).toEqual([true])
      expect((await sftp.deliver([track], context)).outcomes).toEqual([{ kind: 'delivered' }])
    })
    expect([...server.files].map(([path, file]) => [path.endsWith('.json.gz'), linesOf(file)])).toEqual([
      [true, `${track.json}\n`],
    ])
  })

  it('a server that does not answer is given up after two minutes', async () => {
    const server = await startSftpServer()
    const writing = Promise.withResolvers<void>()
    server.answer = ({ name }) => {
      if (name !== 'write') return undefined
      writing.resolve()
      return 'hang'
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const failed = failureOf(settingsOf(server))
    await writing.promise
    vi.advanceTimersByTime(120_000)
    const failure = await failed
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure.message).toBe('Not finished within 120000 ms')
  })

  it('a private address is refused, and a server that is away is tried again', async () => {
    const server = await startSftpServer()
    expect(await failureOf(settingsOf(server), { egress: createEgressPolicy() })).toBeInstanceOf(EgressRefusedError)
    expect(await failureOf(settingsOf(server, { port: 1 }))).toBeInstanceOf(RetryableError)
  })

  it.each<[string, string | Buffer | undefined]>([
    ['a web page', 'HTTP/1.1 400 Bad Request\r\nServer: a\r\n\r\n<html></html>'],
    ['random bytes', createHash('sha512').update('x').digest()],
    ['an endless text', 'SSH-2.0-'.repeat(300_000)],
    ['nothing', undefined],
  ])('a server that answers with %s takes no events, and does not end the process', async (_, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (answer === undefined) socket.destroy()
      else socket.end(answer)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const failure = await failureOf({ host: '127.0.0.1', port, user: 'ada', password })
    expect([ConfigurationError, RetryableError]).toContain(failure.constructor)
  })
})

it('a fingerprint is that of OpenSSH (the key and the fingerprint that GitHub publishes)', () => {
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
  const fingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'
  expect(fingerprintOf(Buffer.from(key, 'base64'))).toBe(fingerprint)
  expect(fingerprintsOf(` ${fingerprint}=,${fingerprint} `)).toEqual([fingerprint, fingerprint])
})

it('a private key with a passphrase is refused', () => {
  const { private: key } = ssh2.utils.generateKeyPairSync('ed25519', {
    passphrase: 'x',
    cipher: 'aes256-cbc',
    rounds: 16,
  })
  expect(privateKeyOf(key).problem).toBe('Paste a key without a passphrase')
})

it.each([
  ['fingerprint', { fingerprint: 'MD5:16:27:ac' }],
  ['fingerprint', { fingerprint: 'SHA256:abc' }],
  ['private_key', { private_key: 'x' }],
  ['password', { password: undefined }],
  ['prefix', { prefix: '/a/../b' }],
  ['port', { port: 0 }],
])('the setting %s is rejected if it is invalid: %j', (name, more) => {
  const given = { host: 'sftp.example', user: 'ada', password, ...more }
  expect(validateSettings(sftp, given)).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})
