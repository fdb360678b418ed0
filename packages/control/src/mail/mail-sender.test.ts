import { type Logger, silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { createTestDatabase, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createMailSender, MailRefused, type MailTransport, type OutgoingMail } from './mail-sender.ts'
import { queueMail } from './queue-mail.ts'
import { signUpCodeMail } from './templates.ts'

type Store = Awaited<ReturnType<typeof createTestDatabase>>
let store: Store
let now: number
beforeEach(async () => {
  store = await createTestDatabase()
  now = Date.parse('2026-03-04T05:06:07Z')
})
afterEach(() => store[Symbol.asyncDispose]())

const lifeMs = 10 * 60_000
const queue = (recipient: string) =>
  store.db.transaction().execute((tx) =>
    queueMail(tx, {
      recipient,
      mail: signUpCodeMail({ code: 'ABC-DEF-GHJ-KLM', email: recipient, origin: 'https://cdp.example.com' }),
      time: new Date(now),
      expireTime: new Date(now + lifeMs),
    }),
  )

const rowOf = (recipient: string) =>
  store.db.selectFrom('mails').selectAll().where('recipient', '=', recipient).executeTakeFirstOrThrow()

/** A sender as another process has it, on connections of its own. */
const start = async (send: MailTransport['send'], logger: Logger = silentLogger) => {
  const own = openRelational({ url: store.url, logger: silentLogger, maxConnections: 3 })
  const sender = createMailSender({ db: own.db, pool: own.pool, transport: { send }, clock: () => now, logger })
  await sender.start()
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= sender.stop().then(() => own.close()))
  onTestFinished(stop)
  return { stop }
}

test('a mail is sent when its transaction is committed, not before, and once; its text is removed', async () => {
  const sent: OutgoingMail[] = []
  await start(async (mail) => void sent.push(mail))
  await store.db
    .transaction()
    .execute(async (tx) => {
      await queueMail(tx, {
        recipient: 'undone@example.com',
        mail: signUpCodeMail({ code: 'ABC-DEF-GHJ-KLM', email: 'x', origin: '' }),
        time: new Date(now),
        expireTime: new Date(now + lifeMs),
      })
      throw new Error('undone')
    })
    .catch(() => {})
  const began = performance.now()
  await queue('a@example.com')
  const row = await eventually('it is marked', async () => {
    const found = await rowOf('a@example.com')
    return found.sent_time !== null && found
  })
  expect(performance.now() - began).toBeLessThan(4000)
  expect(row).toMatchObject({ body_text: '', body_html: '', attempts: 1, last_error: '' })
  expect(sent).toMatchObject([{ id: row.id, recipient: 'a@example.com', subject: 'Verify your email to sign up' }])
  expect(sent[0]?.text).toContain('ABC-DEF-GHJ-KLM')
})

test('several senders send each mail once', async () => {
  const sent: string[] = []
  const send = async (mail: OutgoingMail): Promise<void> => void sent.push(mail.recipient)
  const recipients = Array.from({ length: 40 }, (_, index) => `p${index}@example.com`)
  for (const recipient of recipients) await queue(recipient)
  await Promise.all([start(send), start(send), start(send)])
  await eventually('all are sent', () => sent.length >= recipients.length)
  expect(sent.toSorted()).toEqual(recipients.toSorted())
})

test('what fails is tried again with growing pauses, the reason kept, until it is of no use; then its text is removed', async () => {
  const tries: number[] = []
  await start(async (mail) => {
    if (mail.recipient === 'a@example.com') tries.push(now)
    throw new Error('no route to host')
  })
  await queue('a@example.com')
  const pauses: number[] = []
  for (let count = 1; count <= 4; count++) {
    if (count > 1) {
      now += pauses.at(-1) ?? 0
      await queue(`wakes-${count}@example.com`)
    }
    const row = await eventually(`try ${count}`, async () => {
      const found = await rowOf('a@example.com')
      return found.attempts === count && found.last_error !== '' && found.next_time.getTime() < now + 60_000 && found
    })
    expect(row.last_error).toBe('no route to host')
    pauses.push(row.next_time.getTime() - now)
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = pauses
  for (const [pause, ceiling] of [
    [first, 1000],
    [second, 2000],
    [third, 4000],
    [fourth, 8000],
  ] as const) {
    expect(pause).toBeGreaterThanOrEqual(ceiling / 2)
    expect(pause).toBeLessThanOrEqual(ceiling)
  }
  now += lifeMs
  await queue('wakes@example.com')
  await eventually('its text is removed', async () => (await rowOf('a@example.com')).body_text === '')
  expect(await rowOf('a@example.com')).toMatchObject({ sent_time: null, body_html: '', last_error: 'no route to host' })
  expect(tries).toHaveLength(4)
})

test('what is refused for good is given up at once', async () => {
  await start(async () => {
    throw new MailRefused('550 no such user')
  })
  await queue('a@example.com')
  const row = await eventually('it is given up', async () => {
    const found = await rowOf('a@example.com')
    return found.last_error !== '' && found
  })
  expect(row).toMatchObject({ attempts: 1, body_text: '', body_html: '', last_error: '550 no such user' })
  expect(row.expire_time.getTime()).toBe(now)
})

test('a mail whose sender died while sending is sent again by another, after a minute and not sooner', async () => {
  const dying = await start(() => new Promise(() => {}))
  await queue('a@example.com')
  await eventually('it is taken', async () => (await rowOf('a@example.com')).attempts === 1)
  await dying.stop()
  const sent: string[] = []
  await start(async (mail) => void sent.push(mail.recipient))
  await queue('b@example.com')
  await eventually('the other is sent', () => sent.length === 1)
  expect(sent).toEqual(['b@example.com'])
  now += 60_000
  await queue('c@example.com')
  await eventually('it is sent', () => sent.includes('a@example.com'))
  expect((await rowOf('a@example.com')).attempts).toBe(2)
})

test('a text that cannot be sent is not logged', async () => {
  const logged: unknown[] = []
  const log = (...fields: unknown[]): void => void logged.push(fields)
  await start(
    async () => {
      throw new Error('down')
    },
    { ...silentLogger, warn: log, error: log, info: log, debug: log },
  )
  await queue('a@example.com')
  await eventually('it failed', () => logged.length > 0)
  expect(JSON.stringify(logged)).not.toMatch(/ABC-DEF|a@example/)
})
