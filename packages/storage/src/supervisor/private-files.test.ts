import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../log/file-journal/journal.ts'
import { openLogWriter } from '../log/sqlite/writer.ts'
import { closeToOthers } from './private-files.ts'

let root: string
let umask: number
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tributary-private-'))
  // The usual umask: without a mode, files are readable by all users.
  umask = process.umask(0o022)
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true, force: true })
})

const modeOf = (path: string): string => (statSync(join(root, path)).mode & 0o7777).toString(8)
const put = (path: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), 'x')
}

test('folders get mode 0700 and files 0600, also in a prepared folder and on another disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'tributary-disk-'))
  try {
    chmodSync(root, 0o755)
    chmodSync(disk, 0o777)
    writeFileSync(join(disk, 'part.bin'), 'x')
    symlinkSync(disk, join(root, 'event-store'))
    for (const path of ['log/requests/segment-1.db', 'journal/pipeline.db', 'secret.key', 'tributary.owner.json'])
      put(path)
    symlinkSync('/etc/passwd', join(root, 'log', 'elsewhere'))
    const passwd = statSync('/etc/passwd').mode
    expect(closeToOthers(root)).toEqual([])
    for (const folder of ['', 'log', 'log/requests', 'journal', 'event-store'])
      expect([folder, modeOf(folder)]).toEqual([folder, '700'])
    for (const file of ['log/requests/segment-1.db', 'journal/pipeline.db', 'secret.key', 'event-store/part.bin'])
      expect([file, modeOf(file)]).toEqual([file, '600'])
    expect(statSync('/etc/passwd').mode).toBe(passwd)
  } finally {
    rmSync(disk, { recursive: true, force: true })
  }
})

test('files that the product did not create, and those of PostgreSQL, keep their modes', () => {
  for (const path of ['postgres/PG_VERSION', 'project/run.sh', 'notes.txt']) put(path)
  chmodSync(join(root, 'project/run.sh'), 0o755)
  closeToOthers(root)
  expect(['postgres', 'postgres/PG_VERSION', 'project/run.sh', 'notes.txt'].map(modeOf)).toEqual([
    '755',
    '644',
    '755',
    '644',
  ])
})

test('log and journal create their files for this account alone, including side files', async () => {
  const writer = await openLogWriter({ dir: join(root, 'log', 'requests'), partitions: 1, inline: true })
  const journal = openJournal({ file: join(root, 'journal', 'pipeline.db') })
  try {
    await writer.append({ key: 'k', meta: '{}', body: Buffer.from('secret') })
    const segment = 'log/requests/segment-0000000001.db'
    expect(['log', 'log/requests', 'journal'].map(modeOf)).toEqual(['700', '700', '700'])
    expect([segment, `${segment}-wal`, `${segment}-shm`].map(modeOf)).toEqual(['600', '600', '600'])
    expect(['', '-wal', '-shm'].map((side) => modeOf(`journal/pipeline.db${side}`))).toEqual(['600', '600', '600'])
  } finally {
    journal.close()
    await writer.close()
  }
})
