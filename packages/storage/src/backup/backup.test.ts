import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { setFaultHandler, silentLogger } from '@tributary/kernel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseAccount } from '../relational/embedded/account.ts'
import { createEmbeddedPostgres } from '../relational/embedded/child.ts'
import { openRelational } from '../relational/open.ts'
import { DataDirHalfRestored, DataDirLocked, lockDataDir } from '../supervisor/data-dir-lock.ts'
import { identify, isRunning } from '../supervisor/processes.ts'
import { createSupervisor } from '../supervisor/supervisor.ts'
import { tarStream } from './archive.ts'
import { createBackup } from './create.ts'
import { type DataEntry, isInnerLink } from './data-files.ts'
import { untilIdle } from './idle.ts'
import { InvalidBackup } from './manifest.ts'
import { restoreBackup } from './restore.ts'

let root: string
let dataDir: string
let file: string
const logger = silentLogger

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-backup-'))
  dataDir = join(root, 'data')
  file = join(root, 'backup.tar.zst')
})
afterEach(async () => {
  setFaultHandler(undefined)
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
})

const put = (path: string, content: string | Buffer, mode = 0o600): void => {
  const target = join(dataDir, path)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(target, content)
  chmodSync(target, mode)
}

/** Every file and folder below `dir` with mode and content, except the files of a running process. */
const tree = (dir: string): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    if (/^(tributary\.|\.restore-|\.before-restore-)/.test(name)) continue
    const stats = statSync(join(dir, name))
    const content = stats.isFile() ? readFileSync(join(dir, name)).toString('base64') : 'folder'
    found[relative(dir, join(dir, name))] = `${(stats.mode & 0o777).toString(8)} ${content}`
  }
  return found
}

const deep = `event-store/engine/${'a-folder-with-a-long-name/'.repeat(12)}part-ü-✓.bin`

const fill = (): void => {
  put('secret.key', 'the secret\n')
  put(deep, randomBytes(3 * 1024 * 1024), 0o640)
  put('log/requests/0001.db', randomBytes(70_000))
  put('blobs/logos/a.png~', Buffer.alloc(0))
  mkdirSync(join(dataDir, 'event-store', 'empty'), { mode: 0o750 })
}

const failure = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('backup and restore', () => {
  it('a restore restores every file, folder, and mode, and leaves nothing else', async () => {
    fill()
    const before = tree(dataDir)
    const backup = await createBackup({ dataDir, file, logger })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(root).toSorted()).toEqual(['backup.tar.zst', 'data'])
    const target = join(root, 'elsewhere', 'data')
    const result = await restoreBackup({ file, dataDir: target, logger })
    expect(tree(target)).toEqual(before)
    expect(result).toEqual({ version: backup.version, time: backup.time, files: 4, keptIn: undefined })
    expect(readdirSync(target).filter((name) => name.startsWith('.'))).toEqual([])
    expect(tree(dataDir)).toEqual(before)
  })

  it("a restore keeps the folder's hashes of deleted users together with those of the backup, readable by their owner only", async () => {
    fill()
    const ofBefore = join(root, 'before.tar.zst')
    await createBackup({ dataDir, file: ofBefore, logger })
    put('forgotten.ndjson', 'one\n')
    await createBackup({ dataDir, file, logger })
    await restoreBackup({ file: ofBefore, dataDir, force: true, logger })
    expect(readFileSync(join(dataDir, 'forgotten.ndjson'), 'utf8')).toBe('one\n')
    expect(statSync(join(dataDir, 'forgotten.ndjson')).mode & 0o777).toBe(0o600)
    put('forgotten.ndjson', 'one\ntwo\n')
    await restoreBackup({ file, dataDir, force: true, logger })
    expect(readFileSync(join(dataDir, 'forgotten.ndjson'), 'utf8')).toBe('one\none\ntwo\n')
  })

  it('a restore restores PostgreSQL, ready to start, with files owned by the account that runs it', async () => {
    const dir = (data: string): string => join(data, 'postgres')
    const withPostgres = async <T>(
      data: string,
      act: (query: (text: string) => Promise<unknown[]>) => Promise<T>,
    ): Promise<T> => {
      const { spec, url } = await createEmbeddedPostgres({ dir: dir(data), logger })
      await using supervisor = createSupervisor({ logger })
      await supervisor.add(spec)
      await using store = openRelational({ url, logger })
      return await act(async (text) => (await store.pool.query<Record<string, unknown>>(text)).rows)
    }
    await withPostgres(dataDir, (query) => query('create table kept as select 42 as answer'))
    await createBackup({ dataDir, file, logger })
    await rm(dataDir, { recursive: true })
    await restoreBackup({ file, dataDir, logger })
    expect(statSync(join(dir(dataDir), 'PG_VERSION')).uid).toBe(chooseAccount().server.uid)
    expect(await withPostgres(dataDir, (query) => query('select answer from kept'))).toEqual([{ answer: 42 }])
  })

  it('a backup stops the PostgreSQL of a killed server before it copies', async () => {
    const { spec } = await createEmbeddedPostgres({ dir: join(dataDir, 'postgres'), logger })
    await spec.recover?.()
    const orphan = await spec.spawn()
    await expect.poll(() => spec.probe().catch(() => false), { timeout: 30_000 }).toBe(true)
    const identity = identify(orphan.pid ?? 0)
    if (identity === undefined) throw new Error('PostgreSQL does not run')
    await createBackup({ dataDir, file, logger })
    expect(isRunning(identity)).toBe(false)
    await spec.dispose?.()
  })

  it('neither a backup nor a restore starts while the product runs', async () => {
    fill()
    await createBackup({ dataDir, file, logger })
    await using _running = lockDataDir(dataDir)
    await expect(createBackup({ dataDir, file: join(root, 'second'), logger })).rejects.toThrow(DataDirLocked)
    await expect(restoreBackup({ dataDir, file, force: true, logger })).rejects.toThrow(DataDirLocked)
    expect(readdirSync(root).toSorted()).toEqual(['backup.tar.zst', 'data'])
  })

  it('a backup is rejected if a process has a file open, and not if a shell is in the data folder', async () => {
    fill()
    const inside = spawn('/bin/sh', ['-c', 'echo here; read -r _'], {
      cwd: dataDir,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(inside.stdout, 'data')
    await createBackup({ dataDir, file, logger })
    inside.stdin.end('\n')
    const reader = spawn('/bin/sh', ['-c', 'exec 3<secret.key; echo open; read -r _'], {
      cwd: dataDir,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(reader.stdout, 'data')
    await expect(untilIdle(dataDir, logger, 100)).rejects.toThrow(new RegExp(`sh \\(${reader.pid}\\)`))
    reader.stdin.end('\n')
    await untilIdle(dataDir, logger, 5_000)
  })

  it('a backup rejects an existing target file, a target inside the data folder, and a missing or empty data folder', async () => {
    await expect(createBackup({ dataDir, file, logger })).rejects.toThrow(/nothing to back up/)
    expect(existsSync(dataDir)).toBe(false)
    fill()
    await expect(createBackup({ dataDir, file: join(dataDir, 'log', 'b'), logger })).rejects.toThrow(
      /inside the data folder/,
    )
    await expect(createBackup({ dataDir, file: join(root, 'no', 'b'), logger })).rejects.toThrow(/does not exist/)
    writeFileSync(file, 'precious')
    await expect(createBackup({ dataDir, file, logger })).rejects.toThrow(/already exists/)
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  it('a backup leaves no file if it fails before the end, and releases the lock', async () => {
    fill()
    setFaultHandler((point) => {
      if (point === 'backup-before-rename') throw new Error('the disk went away')
    })
    await expect(createBackup({ dataDir, file, logger })).rejects.toThrow('the disk went away')
    expect(readdirSync(root)).toEqual(['data'])
    setFaultHandler(undefined)
    await createBackup({ dataDir, file, logger })
  })

  it("a backup contains the data behind a link, such as an engine's own disk", async () => {
    fill()
    const disk = join(root, 'other-disk')
    mkdirSync(disk)
    writeFileSync(join(disk, 'part'), 'on the other disk')
    symlinkSync(disk, join(dataDir, 'journal'))
    await createBackup({ dataDir, file, logger })
    const target = join(root, 'target')
    await restoreBackup({ file, dataDir: target, logger })
    expect(readFileSync(join(target, 'journal', 'part'), 'utf8')).toBe('on the other disk')
  })

  it('a backup keeps a link between two folders of the data folder as a link', async () => {
    fill()
    mkdirSync(join(dataDir, 'event-store/store/e3f'), { recursive: true })
    mkdirSync(join(dataDir, 'event-store/metadata'), { recursive: true })
    writeFileSync(join(dataDir, 'event-store/store/e3f/table.sql'), 'create')
    symlinkSync('../store/e3f', join(dataDir, 'event-store/metadata/default'))
    await createBackup({ dataDir, file, logger })
    const target = join(root, 'target')
    await restoreBackup({ file, dataDir: target, logger })
    expect(readlinkSync(join(target, 'event-store/metadata/default'))).toBe('../store/e3f')
    expect(readFileSync(join(target, 'event-store/metadata/default/table.sql'), 'utf8')).toBe('create')
  })

  it.each([
    ['default', true],
    ['../store/x', true],
    ['../../../../etc', false],
    ['/etc', false],
  ])('a link to %s stays inside the data folder: %s', (target, inner) => {
    expect(isInnerLink('event-store/metadata/default', target)).toBe(inner)
  })

  it.each<[string, readonly [path: string, target: string][]]>([
    ['points outside', [['a', '../b']]],
    [
      'passes through a link to the folder itself',
      [
        ['d/e', '..'],
        ['x', 'd/e/..'],
      ],
    ],
    [
      'is the last of three that lead out together',
      [
        ['d/e/f', '../..'],
        ['y', 'd/e'],
        ['x', 'y/f/../other'],
      ],
    ],
    [
      'lies behind a link',
      [
        ['d/e', '..'],
        ['d/e/x', 'secret.key'],
      ],
    ],
    [
      'lies behind a link that comes after it',
      [
        ['d/e/x', '../f'],
        ['d/e', '../g'],
      ],
    ],
    [
      'names another one whose target is absolute',
      [
        ['x', 'a'],
        ['a', '/etc'],
      ],
    ],
  ])('a restore rejects a forged archive whose link %s, and creates nothing', async (_, links) => {
    fill()
    const forged = async function* (): AsyncGenerator<DataEntry> {
      const about = { folder: false, mode: 0o600, mtime: new Date(0), size: 0 }
      for (const [path, link] of links) yield { ...about, path, link }
    }
    const bytes: Buffer[] = []
    const about = { version: '1', time: new Date(0).toISOString() }
    for await (const piece of tarStream(dataDir, forged(), about)) bytes.push(piece)
    writeFileSync(file, zstdCompressSync(Buffer.concat(bytes)))
    const target = join(root, 'target')
    expect(await failure(restoreBackup({ file, dataDir: target, logger }))).toBeInstanceOf(InvalidBackup)
    expect(tree(target)).toEqual({})
    expect(readdirSync(root).toSorted()).toEqual(['backup.tar.zst', 'data', 'target'])
  })

  it('a restore restores a link to a link whose path stays inside', async () => {
    fill()
    put('store/e3f/table.sql', 'create')
    mkdirSync(join(dataDir, 'names'), { recursive: true })
    symlinkSync('../store/e3f', join(dataDir, 'names/first'))
    symlinkSync('first/../e3f', join(dataDir, 'names/second'))
    await createBackup({ dataDir, file, logger })
    const target = join(root, 'target')
    await restoreBackup({ file, dataDir: target, logger })
    expect(readFileSync(join(target, 'names/second/table.sql'), 'utf8')).toBe('create')
  })

  it('a restore replaces data only with force, and keeps the old data aside', async () => {
    fill()
    await createBackup({ dataDir, file, logger })
    const backedUp = tree(dataDir)
    await rm(join(dataDir, 'blobs'), { recursive: true })
    put('log/requests/0002.db', 'newer')
    const newer = tree(dataDir)
    await expect(restoreBackup({ file, dataDir, logger })).rejects.toThrow(/already contains data.*--force/)
    expect(tree(dataDir)).toEqual(newer)
    const { keptIn } = await restoreBackup({ file, dataDir, force: true, logger })
    expect(tree(dataDir)).toEqual(backedUp)
    expect(tree(keptIn ?? '')).toEqual(newer)
    await createBackup({ dataDir, file: join(root, 'again'), logger })
    await restoreBackup({ file: join(root, 'again'), dataDir: join(root, 'third'), logger })
    expect(tree(join(root, 'third'))).toEqual(backedUp)
  })

  it.each<[string, (archive: Buffer) => Buffer]>([
    ['cut off', (archive) => archive.subarray(0, archive.length - 5_000)],
    ['cut off between two files', (archive) => zstdCompressSync(zstdDecompressSync(archive).subarray(0, 1024))],
    ['with one bit changed', (archive) => flip(archive, archive.length >> 1)],
    [
      'with one bit of a file changed before compressing',
      (archive) => zstdCompressSync(flip(zstdDecompressSync(archive), 200_000)),
    ],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('a letter')],
    ['another archive', () => zstdCompressSync(Buffer.alloc(10_240))],
  ])('a restore rejects an archive that is %s, and changes nothing', async (_, damage) => {
    fill()
    await createBackup({ dataDir, file, logger })
    writeFileSync(file, damage(readFileSync(file)))
    const before = tree(dataDir)
    expect(await failure(restoreBackup({ file, dataDir, force: true, logger }))).toBeInstanceOf(InvalidBackup)
    expect(tree(dataDir)).toEqual(before)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.'))).toEqual([])
    await lockDataDir(dataDir).release()
  })

  it('a restore reports a missing archive', async () => {
    await expect(restoreBackup({ file, dataDir, logger })).rejects.toThrow(/can't be read/)
  })

  it('after a kill between the renames of a restore, the product does not start until a restore is complete', async () => {
    fill()
    await createBackup({ dataDir, file, logger })
    const before = tree(dataDir)
    const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))
    const program = `
      import { setFaultHandler, silentLogger as logger } from ${here('../../../kernel/src/index.ts')}
      import { restoreBackup } from ${here('./restore.ts')}
      setFaultHandler((name) => { if (name === 'restore-between-renames') process.kill(process.pid, 'SIGKILL') })
      await restoreBackup({ file: ${JSON.stringify(file)}, dataDir: ${JSON.stringify(dataDir)}, force: true, logger })`
    const killed = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
      {
        stdio: 'inherit',
      },
    )
    expect((await once(killed, 'exit'))[1]).toBe('SIGKILL')
    expect(() => lockDataDir(dataDir)).toThrow(DataDirHalfRestored)
    await expect(createBackup({ dataDir, file: join(root, 'b'), logger })).rejects.toThrow()
    await restoreBackup({ file, dataDir, force: true, logger })
    expect(tree(dataDir)).toEqual(before)
    await lockDataDir(dataDir).release()
  })
})

const flip = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
