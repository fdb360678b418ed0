import { mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MailRefused, type OutgoingMail } from '@tributary/api-kit'
import { startMailReceiver } from '@tributary/test-kit'
import { expect, onTestFinished, test } from 'vitest'
import { createOutboxFolder } from './outbox-folder.ts'
import { createSmtpTransport } from './smtp-transport.ts'

const from = 'Tributary <no-reply@tributary.example>'
const mailFor = (recipient: string, more: Partial<OutgoingMail> = {}): OutgoingMail => ({
  id: '0190-a',
  recipient,
  subject: 'Grüße',
  text: 'Plain ✓',
  html: '<p>Rich ✓</p>',
  ...more,
})

const start = async () => {
  const receiver = await startMailReceiver()
  const transport = createSmtpTransport({ url: receiver.url, from })
  onTestFinished(async () => {
    transport.close()
    await receiver.close()
  })
  return { receiver, transport }
}

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-outbox-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'outbox')
}

test('a mail arrives with both texts, its sender, and a message ID that stays the same when it is sent again', async () => {
  const { receiver, transport } = await start()
  await transport.send(mailFor('ada@example.com'))
  await transport.send(mailFor('ada@example.com'))
  const [first, second] = [await receiver.waitFor('ada@example.com'), await receiver.waitFor('ADA@example.com')]
  expect(first).toMatchObject({
    from: { address: 'no-reply@tributary.example', name: 'Tributary' },
    recipients: ['ada@example.com'],
    subject: 'Grüße',
    text: expect.stringContaining('Plain ✓'),
    html: expect.stringContaining('<p>Rich ✓</p>'),
    messageId: '<0190-a@tributary.example>',
  })
  expect(first.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(second.messageId).toBe(first.messageId)
})

test('neither subject nor recipient can add a header or another recipient', async () => {
  const { receiver, transport } = await start()
  await transport.send(
    mailFor('ada@example.com', { subject: 'Hello\r\nBcc: eve@example.com\r\nX-Evil: 1\r\n\r\nBody' }),
  )
  const mail = await receiver.waitFor('ada@example.com')
  expect(mail.recipients).toEqual(['ada@example.com'])
  expect(mail.raw.split('\r\n\r\n')[0]).not.toMatch(/^(Bcc|X-Evil):/im)
  for (const recipient of ['ada@example.com, eve@example.com', 'ada@example.com\r\nRCPT TO:<eve@example.com>'])
    await transport.send(mailFor(recipient)).catch(() => {})
  expect(receiver.mails.flatMap(({ recipients }) => recipients).filter((each) => each === 'eve@example.com')).toEqual(
    [],
  )
})

test('a permanently rejected recipient is distinguished from a temporary rejection and an unreachable server', async () => {
  const { receiver, transport } = await start()
  receiver.refuse(550)
  await expect(transport.send(mailFor('ada@example.com'))).rejects.toThrow(MailRefused)
  receiver.refuse(451)
  const later = transport.send(mailFor('ada@example.com'))
  await expect(later).rejects.toThrow(/451/)
  await expect(later).rejects.not.toThrow(MailRefused)
  await receiver.close()
  const away = transport.send(mailFor('ada@example.com'))
  await expect(away).rejects.toThrow(/ECONNREFUSED|closed/i)
  await expect(away).rejects.not.toThrow(MailRefused)
})

test('the outbox has one file for each mail, readable for its owner only, even if a mail is written twice', async () => {
  const folder = await newFolder()
  const outbox = createOutboxFolder({ folder, from, forReading: false })
  await outbox.send(mailFor('ada@example.com'))
  await outbox.send(mailFor('ada@example.com'))
  expect(await readdir(folder)).toEqual(['0190-a.eml'])
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, '0190-a.eml'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, '0190-a.eml'), 'utf8')).toMatch(/^To: ada@example\.com\r$/m)
  expect(await outbox.newest(10)).toEqual([])
})

test('an outbox for reading returns the newest mails first, and deletes mails older than 30 days', async () => {
  const folder = await newFolder()
  const outbox = createOutboxFolder({ folder, from, forReading: true })
  await outbox.prune(Date.now())
  for (const id of ['0190-a', '0190-b', '0190-c']) await outbox.send(mailFor('ada@example.com', { id }))
  expect((await outbox.newest(2)).map((mail) => mail.id)).toEqual(['0190-c', '0190-b'])
  const old = new Date(Date.now() - 31 * 24 * 60 * 60_000)
  for (const name of ['0190-a.eml', '0190-a.json']) await utimes(join(folder, name), old, old)
  await outbox.prune(Date.now())
  expect((await readdir(folder)).toSorted()).toEqual(['0190-b.eml', '0190-b.json', '0190-c.eml', '0190-c.json'])
})
