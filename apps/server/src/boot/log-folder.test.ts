import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { keepPlaces, openJournal } from '@tributary/storage'
import type { LogHolder } from '@tributary/storage/kafka'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { folders } from './engines.ts'
import { LogOfOtherFolder, requireLogFolder, takeLogFolder } from './log-folder.ts'

describe('a log on Kafka', () => {
  let store: TestDatabase
  let root: string
  beforeAll(async () => {
    store = await createTestDatabase()
  })
  afterAll(() => store?.close())
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tributary-log-folder-'))
  })
  afterEach(async () => {
    await store.pool.query('delete from kept_places; delete from journals')
    rmSync(root, { recursive: true })
  })

  type Engines = 'event store in the folder' | 'all in the folder' | 'all by address'
  const process = (name: string, engines: Engines = 'event store in the folder', lost?: string) => {
    const dataDir = join(root, name)
    mkdirSync(dataDir, { recursive: true })
    return readConfig({
      KAFKA_BROKERS: '127.0.0.1:1',
      TRIBUTARY_DATA_DIR: dataDir,
      ...(engines === 'all in the folder' ? {} : { DATABASE_URL: store.url }),
      ...(engines === 'all by address' ? { CLICKHOUSE_URL: 'http://127.0.0.1:1/default' } : {}),
      ...(lost === undefined ? {} : { TRIBUTARY_LOST_FOLDER: lost }),
    })
  }
  /** Starts as the product does, up to the log. Resolves to the holder that the log then has. */
  const start = async (config: ReturnType<typeof process>, holder: LogHolder | undefined): Promise<LogHolder> => {
    const use = await requireLogFolder(config, holder, silentLogger)
    mkdirSync(join(config.dataDir, 'journal'), { recursive: true })
    const folder = await takeLogFolder(config, use, { relational: store, logger: silentLogger })
    return { incarnation: 'next', folder }
  }
  const older: LogHolder = { incarnation: 'l3ab', folder: undefined }

  test.each<[string, Engines, Engines]>([
    ['the same engines by address', 'event store in the folder', 'event store in the folder'],
    ['nothing but Kafka by address', 'all in the folder', 'all in the folder'],
    ['a database by address that the first one has not', 'all in the folder', 'event store in the folder'],
    [
      'all by address, where the first one has its event store in the folder',
      'event store in the folder',
      'all by address',
    ],
    [
      'its event store in the folder, where the first one has all by address',
      'all by address',
      'event store in the folder',
    ],
  ])(
    "a process with an empty folder and %s cannot take over a log on Kafka; the message explains, and the log's process continues",
    async (_, first, second) => {
      const holder = await start(process('one', first), undefined)
      const refused = await requireLogFolder(process('two', second), holder, silentLogger).catch(
        (error: unknown) => error,
      )
      expect(refused).toBeInstanceOf(LogOfOtherFolder)
      expect((refused as Error).message).toContain(`TRIBUTARY_LOST_FOLDER=${holder.folder}`)
      expect(existsSync(join(root, 'two', 'folder.id'))).toBe(false)
      expect(await start(process('one', first), holder)).toEqual({ ...holder, incarnation: 'next' })
    },
  )

  test('a log on Kafka is used with any folder if all engines are remote, and otherwise with its last folder', async () => {
    const alone = await start(process('one'), undefined)
    const shared = await start(process('one', 'all by address'), alone)
    expect(await start(process('empty', 'all by address'), shared)).toEqual(shared)
  })

  test('a log on Kafka from an older version is accepted with the folder that has journals, not with an empty one', async () => {
    mkdirSync(join(root, 'one', 'journal'), { recursive: true })
    expect(await requireLogFolder(process('one'), older, silentLogger)).toEqual({ lost: undefined })
    await expect(requireLogFolder(process('two'), older, silentLogger)).rejects.toThrow('TRIBUTARY_LOST_FOLDER=l3ab')
    await expect(requireLogFolder(process('two', 'all by address'), older, silentLogger)).rejects.toThrow('l3ab')
    await store.pool.query(`insert into journals (consumer, serial) values ('pipeline', 1)`)
    await store.pool.query(`insert into journal_positions values ('pipeline', 3, 7, null)`)
    expect(await requireLogFolder(process('two', 'all by address'), older, silentLogger)).toEqual({ lost: undefined })
  })

  test('a log on Kafka is taken over by a process naming the lost folder, at its old delivery position; the old folder is rejected', async () => {
    const one = process('one')
    const holder = await start(one, undefined)
    const journal = openJournal({ file: folders(one.dataDir).journal('delivery') })
    journal.saw([{ partition: 5, offset: 41, incarnation: 'l3' }])
    journal.commit(new Map([[5, 42]]), new Map([[5, '9']]))
    const copy = keepPlaces(journal, {
      pool: store.pool,
      consumer: 'delivery',
      logger: silentLogger,
      everyMs: 3_600_000,
    })
    await copy.stop()
    journal.close()

    await expect(start(process('two', undefined, 'another'), holder)).rejects.toThrow(LogOfOtherFolder)
    const second = await start(process('two', undefined, holder.folder), holder)
    const taken = openJournal({ file: folders(join(root, 'two')).journal('delivery') })
    expect([taken.fresh, [...taken.places()], [...taken.notes()]]).toEqual([
      false,
      [[5, { offset: 42, incarnation: 'l3' }]],
      [[5, '9']],
    ])
    taken.commit(new Map([[5, 60]]))
    taken.close()

    await expect(start(one, second)).rejects.toThrow(second.folder)
    await start(process('two', undefined, holder.folder), second)
    const kept = openJournal({ file: folders(join(root, 'two')).journal('delivery') })
    expect(kept.positions()).toEqual(new Map([[5, 60]]))
    kept.close()
  })

  test('a log on Kafka that was used with remote engines is taken over by a folder, with positions from the database', async () => {
    await store.pool.query(`insert into journals (consumer, serial) values ('delivery', 1), ('signals', 1)`)
    await store.pool.query(`insert into journal_positions values ('delivery', 3, 7, 'l3'), ('signals', 3, 6, 'l3')`)
    const shared = await start(process('one', 'all by address'), undefined)
    await start(process('two', undefined, 'shared'), shared)
    for (const [consumer, offset] of [
      ['delivery', 7],
      ['signals', 6],
    ] as const) {
      const journal = openJournal({ file: folders(join(root, 'two')).journal(consumer) })
      expect(journal.places()).toEqual(new Map([[3, { offset, incarnation: 'l3' }]]))
      journal.close()
    }
  })

  test('no folder ID is written if the log is in the data folder', async () => {
    const config = readConfig({ TRIBUTARY_DATA_DIR: root })
    expect((await start(config, undefined)).folder).toBeUndefined()
    expect(existsSync(join(root, 'folder.id'))).toBe(false)
  })

  test('the folder of a log on Kafka keeps its ID unchanged, and readable by its owner only', async () => {
    const { folder } = await start(process('one'), undefined)
    expect(readFileSync(join(root, 'one', 'folder.id'), 'utf8')).toBe(`${folder}\n`)
  })
})
