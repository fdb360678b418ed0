import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type EventStore, openJournal } from '@tributary/storage'
import { createTestEventStore, type TestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchOf, createWorld, openFiles, type World } from './test-world.ts'

let store: TestEventStore
beforeAll(async () => {
  store = await createTestEventStore()
})
afterAll(() => store.close())

const eventsOf = (workspace: string) =>
  store.query<{ event_id: string; message_id: string }>(
    'select event_id, message_id from events where workspace_id = {workspace:String} order by message_id',
    { workspace },
  )
const messagesOf = async (workspace: string): Promise<string[]> =>
  (await eventsOf(workspace)).map((row) => row.message_id)
const sendAll = async (world: World, w: string, ...prefixes: string[]): Promise<void> => {
  for (const prefix of prefixes) await world.send(batchOf(prefix, 2), { w })
  await world.pipeline.idle()
}
const named = (...prefixes: string[]): string[] => prefixes.flatMap((prefix) => [`${prefix}-0`, `${prefix}-1`])

/** A folder with the files of a pipeline that has stored these batches and ended. */
const folderAfter = async (w: string, ...prefixes: string[]): Promise<string> => {
  const world = await createWorld(store)
  await sendAll(world, w, ...prefixes)
  await world.pipeline.stop()
  const copy = await mkdtemp(join(tmpdir(), 'tributary-copy-'))
  await cp(world.dir, copy, { recursive: true })
  await world[Symbol.asyncDispose]()
  return copy
}
const copyOf = async (dir: string): Promise<string> => {
  const copy = await mkdtemp(join(tmpdir(), 'tributary-copy-'))
  await cp(dir, copy, { recursive: true })
  return copy
}

/** Converts the files of a folder to the format from before incarnations existed. */
const makeOld = async (dir: string): Promise<void> => {
  const drop = (file: string, ...statements: string[]): void => {
    const db = new DatabaseSync(file)
    for (const statement of statements) db.exec(statement)
    db.close()
  }
  for (const log of ['requests', 'deliveries'])
    for (const name of await readdir(join(dir, log)))
      if (name.endsWith('.db')) drop(join(dir, log, name), 'alter table head drop column incarnation')
  const [position, ranges] = ['position', 'open_range'].map((table) => `alter table ${table} drop column incarnation`)
  drop(join(dir, 'journal.sqlite'), position ?? '', ranges ?? '')
}

describe('a log that assigns offsets again', () => {
  it('after a restored backup, later events get new IDs, and none is skipped', async () => {
    const backup = await folderAfter('restored', 'a', 'b')
    const original = await createWorld(store, {}, await copyOf(backup))
    await sendAll(original, 'restored', 'c', 'd', 'e')
    await original.pipeline.stop()
    const newest = openJournal({ file: join(original.dir, 'journal.sqlite') })
    const last = [...newest.places().values()]
    newest.close()
    // The journal may be newer than the log. Then it has offsets that the log assigns again.
    for (const file of ['journal.sqlite', 'journal.sqlite-wal']) await cp(join(original.dir, file), join(backup, file))
    await original[Symbol.asyncDispose]()
    await using restored = await createWorld(store, {}, backup)
    await sendAll(restored, 'restored', 'f', 'g')
    expect(await messagesOf('restored')).toEqual(named('a', 'b', 'c', 'd', 'e', 'f', 'g'))
    const ids = (await eventsOf('restored')).map((row) => row.event_id)
    expect(new Set(ids).size).toBe(ids.length)
    const places = ids.map((id) => id.slice(0, -15))
    // Events of both runs have the same offsets.
    expect(new Set(places).size).toBeLessThan(ids.length)
    expect([...restored.files.journal.places().values()]).not.toEqual(last)
    expect((await restored.delivered()).toSorted()).toEqual(named('a', 'b', 'f', 'g'))
  })

  it('a copy of a folder that is used in parallel to the original assigns other event IDs', async () => {
    const dir = await folderAfter('forked', 'a')
    await using copy = await createWorld(store, {}, await copyOf(dir))
    await using original = await createWorld(store, {}, dir)
    for (const prefix of ['b', 'c']) {
      await sendAll(original, 'forked', `${prefix}o`)
      await sendAll(copy, 'forked', `${prefix}c`)
    }
    expect(await messagesOf('forked')).toEqual(named('a', 'bc', 'bo', 'cc', 'co'))
    const ids = (await eventsOf('forked')).map((row) => row.event_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("after the log's folder is lost, all new events are processed", async () => {
    const dir = await folderAfter('emptied', 'a', 'b', 'c')
    await rm(join(dir, 'requests'), { recursive: true })
    await using world = await createWorld(store, {}, dir)
    await sendAll(world, 'emptied', 'd', 'e')
    expect(await messagesOf('emptied')).toEqual(named('a', 'b', 'c', 'd', 'e'))
    const ids = (await eventsOf('emptied')).map((row) => row.event_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await world.delivered()).toSorted()).toEqual(named('a', 'b', 'c', 'd', 'e'))
  })

  it('a log and a journal from before incarnations stay readable, and open ranges repeat with their tokens and IDs', async () => {
    const old = await mkdtemp(join(tmpdir(), 'tributary-old-'))
    const files = await openFiles(old)
    const place = await files.requests.append({
      key: 'old',
      meta: JSON.stringify({ w: 'old', s: 's-1', k: 'batch', r: Date.now(), ip: '192.0.2.7' }),
      body: Buffer.from(JSON.stringify(batchOf('x', 2))),
    })
    const { partition, offset } = place
    files.journal.begin([{ partition, from: offset, to: offset + 1, token: 'the-old-token' }], [], Date.now())
    await files.close()
    await makeOld(old)
    const tokens: string[] = []
    const watched: EventStore = {
      ...store,
      insert: (table, rows, options) => {
        tokens.push(options.token)
        return store.insert(table, rows, options)
      },
    }
    await using world = await createWorld(watched, {}, old)
    await sendAll(world, 'old', 'y')
    const ids = (await eventsOf('old')).map((row) => row.event_id)
    const at = `${partition}-000000000`
    expect(ids.slice(0, 2)).toEqual([`${at}0-0000`, `${at}0-0001`])
    expect(ids.slice(2).map((id) => id.slice(0, -15))).toEqual([`${at}1-0000`, `${at}1-0001`])
    expect(tokens[0]).toBe('the-old-token')
    expect(await messagesOf('old')).toEqual(named('x', 'y'))
  })
})
