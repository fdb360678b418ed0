import { type Logger, noMetrics, silentLogger } from '@tributary/kernel'
import { type JobKind, openPgBossJobs, openRelational } from '@tributary/storage'
import { createTestDatabase, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createMailSender, MailRefused, type MailTransport, type OutgoingMail } from './mail-sender.ts'
import { mailJob, queueMail, queueWaitingMails } from './queue-mail.ts'
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
const openJobs = (pool: Store['pool'] = store.pool, logger: Logger = silentLogger, kind: JobKind = mailJob) =>
  openPgBossJobs({ pool, kinds: [kind], logger, metrics: noMetrics, lookSeconds: 1, stopMs: 1000 })

const codeMail = (recipient: string) => ({
  recipient,
  mail: signUpCodeMail({ code: 'ABC-DEF-GHJ-KLM', email: recipient, origin: 'https://cdp.example.com' }),
  time: new Date(now),
  expireTime: new Date(now + lifeMs),
})
const queue = async (...recipients: string[]): Promise<void> => {
  const jobs = await openJobs()
  for (const recipient of recipients)
    await store.db.transaction().execute((tx) => queueMail(tx, jobs, codeMail(recipient)))
}

const rowOf = (recipient: string) =>
  store.db.selectFrom('mails').selectAll().where('recipient', '=', recipient).executeTakeFirstOrThrow()

/** Starts a sender like that of another process, with its own connections. */
const start = async (send: MailTransport['send'], logger: Logger = silentLogger) => {
  const own = openRelational({ url: store.url, logger: silentLogger, maxConnections: 6 })
  const jobs = await openJobs(own.pool, logger)
  await jobs.start()
  await jobs.work(mailJob, createMailSender({ db: own.db, transport: { send }, clock: () => now }))
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= jobs.stop().then(() => own.close()))
  onTestFinished(stop)
  return { stop }
}

test('a mail is sent once after its transaction is committed, and then its text is deleted', async () => {
  const sent: OutgoingMail[] = []
  await start(async (mail) => void sent.push(mail))
  const jobs = await openJobs()
  await store.db
    .transaction()
    .execute(async (tx) => {
      await queueMail(tx, jobs, codeMail('undone@example.com'))
      throw new Error('undone')
    })
    .catch(() => {})
  const began = performance.now()
  await queue('a@example.com')
  const row = await eventually('it is marked', async () => {
    const found = await rowOf('a@example.com')
    return found.sent_time !== null && found
  })
  // Without a notification, a sender would check only every 10 s.
  expect(performance.now() - began).toBeLessThan(9000)
  expect(row).toMatchObject({ body_text: '', body_html: '', attempts: 1, last_error: '' })
  expect(sent).toMatchObject([{ id: row.id, recipient: 'a@example.com', subject: 'Verify your email to sign up' }])
  expect(sent[0]?.text).toContain('ABC-DEF-GHJ-KLM')
})

test('several senders send each mail once', async () => {
  const sent: string[] = []
  const send = async (mail: OutgoingMail): Promise<void> => void sent.push(mail.recipient)
  const recipients = Array.from({ length: 40 }, (_, index) => `p${index}@example.com`)
  await queue(...recipients)
  await Promise.all([start(send), start(send), start(send)])
  await eventually('all are sent', () => sent.length >= recipients.length)
  expect(sent.toSorted()).toEqual(recipients.toSorted())
})

test('a failed mail is retried and its error kept until the mail expires; then its text is deleted', async () => {
  let tries = 0
  await start(async () => {
    tries += 1
    if (tries === 2) now += lifeMs
    throw new Error('no route to host')
  })
  await queue('a@example.com')
  const row = await eventually('its text is removed', async () => {
    const found = await rowOf('a@example.com')
    return found.body_text === '' && found
  })
  expect(row).toMatchObject({ sent_time: null, body_html: '', attempts: 2, last_error: 'no route to host' })
  expect(tries).toBe(2)
})

test('a permanently refused mail is abandoned immediately', async () => {
  const sent: string[] = []
  await start(async ({ recipient }) => {
    sent.push(recipient)
    throw new MailRefused('550 no such user')
  })
  await queue('a@example.com')
  const row = await eventually('it is given up', async () => {
    const found = await rowOf('a@example.com')
    return found.last_error !== '' && found
  })
  expect(row).toMatchObject({ attempts: 1, body_text: '', body_html: '', last_error: '550 no such user' })
  expect(row.expire_time.getTime()).toBe(now)
  const jobs = await openJobs()
  await eventually('its job has failed', async () => (await jobs.counts(mailJob)).failed === 1)
  expect(sent).toEqual(['a@example.com'])
})

test('if a sender ends while it sends a mail, another sender sends the mail', async () => {
  const dying = await start(() => new Promise(() => {}))
  await queue('a@example.com')
  await eventually('it is taken', async () => (await rowOf('a@example.com')).attempts === 1)
  await dying.stop()
  const sent: string[] = []
  await start(async (mail) => void sent.push(mail.recipient))
  await eventually('it is sent', () => sent.length > 0)
  expect(sent).toEqual(['a@example.com'])
  expect((await rowOf('a@example.com')).attempts).toBe(2)
})

test('mail that was queued without a job gets one; mail that has a job, was sent, or has expired gets none', async () => {
  const { time, expireTime, mail } = codeMail('')
  const before = (recipient: string, more: { sent_time?: Date; expire_time?: Date } = {}) => ({
    id: crypto.randomUUID(),
    kind: mail.kind,
    recipient,
    subject: mail.subject,
    body_text: mail.text,
    body_html: mail.html,
    create_time: time,
    expire_time: expireTime,
    ...more,
  })
  await store.db
    .insertInto('mails')
    .values([
      before('old@example.com'),
      before('sent@example.com', { sent_time: time }),
      before('over@example.com', { expire_time: time }),
    ])
    .execute()
  await queue('new@example.com')
  const jobs = await openJobs()
  await queueWaitingMails(store.db, jobs, now)
  await queueWaitingMails(store.db, jobs, now)
  const sent: string[] = []
  await start(async ({ recipient }) => void sent.push(recipient))
  await eventually(
    'both are sent',
    async () => (await rowOf('old@example.com')).sent_time && (await rowOf('new@example.com')).sent_time,
  )
  await queueWaitingMails(store.db, jobs, now)
  await queue('last@example.com')
  await eventually('what came last is sent', () => sent.includes('last@example.com'))
  expect(sent.toSorted()).toEqual(['last@example.com', 'new@example.com', 'old@example.com'])
})

test('the text of an unsendable mail is neither logged nor part of its job', async () => {
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
  const { rows } = await store.pool.query('select * from jobs.job')
  expect(rows).toHaveLength(1)
  expect(JSON.stringify([logged, rows])).not.toMatch(/ABC-DEF|a@example/)
})
