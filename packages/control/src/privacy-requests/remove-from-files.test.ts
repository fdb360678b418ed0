import { methods } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import { createRemoveFromFiles } from '@tributary/privacy'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { receiveEvents } from '../testing/receive-events.ts'

let harness: Harness
let organization: Organization
let workspace: string
/** The tables that the database rewrote and could not rewrite, the tables to leave out, and the number of calls. */
let rewritten: string[] = []
let left: string[] = []
let skipped: string[] = []
let failure: Error | undefined
let asked = 0

beforeAll(async () => {
  harness = await startControl({
    rewriteFiles: async (_signal, progress) => {
      asked++
      skipped = [...progress.done]
      for (const table of rewritten) await progress.onDone(table)
      if (failure !== undefined) throw failure
      return { left }
    },
  })
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  await harness.db.deleteFrom('file_rounds').execute()
  rewritten = []
  left = []
  skipped = []
  failure = undefined
  asked = 0
})

const signal = new AbortController().signal
const get = (name: string) =>
  organization.administrator.ok(methods.privacyRequests.get, { workspace, privacy_request: idIn(name) })

const request = async (userId: string, kind: 'delete' | 'suppress' = 'delete'): Promise<string> => {
  await receiveEvents(harness, workspace, [{ userId }])
  const body = { kind, identifiers: [{ type: 'user_id', value: userId }] }
  return (await organization.administrator.ok(methods.privacyRequests.create, { workspace }, { body })).name
}
const erase = (name: string): Promise<void> => harness.erasePeople({ request: idIn(name) }, { signal })
const endLogs = async (): Promise<void> => {
  await sql`update privacy_places set until = ${new Date(harness.now())} where until is not null`.execute(harness.db)
  await harness.finishPrivacyRequests()
}

test('a request waits for the removal from files after all other steps, and finishes when the files are rewritten', async () => {
  const name = await request('ada')
  expect((await get(name)).files).toEqual({
    state: 'waiting',
    start_time: null,
    finish_time: null,
    last_error: '',
  })
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(0)
  await erase(name)
  await endLogs()
  expect(await get(name)).toMatchObject({ state: 'running', files: { state: 'removing' } })
  await harness.removeFromFiles({ signal })
  await harness.finishPrivacyRequests()
  expect(await get(name)).toMatchObject({ state: 'finished', files: { state: 'done', last_error: '' } })
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(1)
})

test('a failed rewrite is shown, and retried after ten minutes for all requests at once', async () => {
  const names = [await request('bob'), await request('cleo')]
  for (const name of names) await erase(name)
  left = ['public.profile_traits: it could not be rewritten within 200 ms']
  await harness.removeFromFiles({ signal })
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(1)
  for (const name of names) expect((await get(name)).files).toMatchObject({ state: 'removing', last_error: left[0] })
  left = []
  harness.advance(10 * 60_000)
  await harness.removeFromFiles({ signal })
  for (const name of names) expect((await get(name)).files).toMatchObject({ state: 'done', last_error: '' })
})

test('files that the database fails to rewrite are reported, and retried after ten minutes, not each minute', async () => {
  const name = await request('eve')
  await erase(name)
  failure = new Error('could not extend file: No space left on device')
  await harness.removeFromFiles({ signal })
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(1)
  expect((await get(name)).files).toMatchObject({
    state: 'removing',
    last_error: expect.stringContaining('No space left'),
  })
  failure = undefined
  harness.advance(10 * 60_000)
  await harness.removeFromFiles({ signal })
  expect((await get(name)).files).toMatchObject({ state: 'done', last_error: '' })
})

test('requests within six hours share a rewrite: a day of deletions rewrites the files four times, each request within 24 hours', async () => {
  const waiting = new Map<string, number>()
  const hour = 3_600_000
  for (let turn = 0; turn < 12; turn++) {
    const name = await request(`daily-${turn}`)
    await erase(name)
    waiting.set(name, harness.now())
    for (let step = 0; step < 6; step++) {
      await harness.removeFromFiles({ signal })
      harness.advance(hour / 3)
    }
    const { files } = await get(name)
    if (turn === 0) expect(files).toMatchObject({ state: 'done', start_time: null })
    if (turn === 1) expect(files).toMatchObject({ state: 'removing', start_time: expect.stringContaining('T') })
  }
  expect(asked).toBe(4)
  harness.advance(6 * hour)
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(5)
  for (const [name, time] of waiting) {
    const { files } = await get(name)
    expect(Date.parse(files?.finish_time ?? '') - time).toBeLessThan(24 * hour)
  }
})

test('a request shows when the rewrite that it waits for starts', async () => {
  const first = await request('fay')
  await erase(first)
  const start = harness.now()
  await harness.removeFromFiles({ signal })
  harness.advance(60_000)
  const second = await request('gus')
  await erase(second)
  await harness.removeFromFiles({ signal })
  expect((await get(second)).files).toEqual({
    state: 'removing',
    start_time: new Date(start + 6 * 3_600_000).toISOString(),
    finish_time: null,
    last_error: '',
  })
  harness.advance(6 * 3_600_000)
  await harness.removeFromFiles({ signal })
  expect((await get(second)).files).toMatchObject({ state: 'done', start_time: null })
})

test('a failed rewrite is retried only for the remaining tables, at doubling intervals, also after a restart', async () => {
  const name = await request('hal')
  await erase(name)
  rewritten = ['public.profiles']
  left = ['public.profile_traits: other transactions had it']
  const tries: number[] = []
  const began = harness.now()
  for (let minute = 0; minute < 6 * 60 - 1; minute += 5) {
    // Each turn is another process, with nothing but the database.
    const removeFromFiles = createRemoveFromFiles({
      db: harness.db,
      clock: harness.now,
      logger: silentLogger,
      rewriteFiles: async (_signal, { done, onDone }) => {
        tries.push((harness.now() - began) / 60_000)
        expect([...done]).toEqual(tries.length === 1 ? [] : ['public.profiles'])
        if (tries.length === 1) await onDone('public.profiles')
        return { left }
      },
    })
    await removeFromFiles(signal)
    harness.advance(5 * 60_000)
  }
  expect(tries).toEqual([0, 10, 30, 70, 150, 310])
  // Requests of later join the next round, which begins with all tables.
  const later = await request('ida')
  await erase(later)
  harness.advance(60_000)
  left = []
  await harness.removeFromFiles({ signal })
  expect([asked, skipped]).toEqual([1, []])
  for (const each of [name, later]) expect((await get(each)).files).toMatchObject({ state: 'done', last_error: '' })
})

test('a process that ends during a rewrite counts as a failed attempt', async () => {
  const name = await request('jon')
  await erase(name)
  const controller = new AbortController()
  failure = new Error('broken off')
  controller.abort(new Error('The process ends'))
  await expect(harness.removeFromFiles({ signal: controller.signal })).rejects.toThrow('The process ends')
  failure = undefined
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(1)
  harness.advance(10 * 60_000)
  await harness.removeFromFiles({ signal })
  expect(asked).toBe(2)
  expect((await get(name)).files).toMatchObject({ state: 'done' })
})

test('a suppression does not wait for a rewrite of files', async () => {
  const name = await request('dora', 'suppress')
  await harness.removeFromFiles({ signal })
  expect([(await get(name)).files, asked]).toEqual([null, 0])
})
