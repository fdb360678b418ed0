import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Names, noteSyncs, skipsPowerLoss } from './power-loss.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tributary-power-'))
  mkdirSync(join(root, 'folder'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Runs a program in a folder, and then loses the power. Returns the remaining folder. */
const lose = (program: string, names: Names = 'journal'): string => {
  using synced = noteSyncs(join(root, 'folder'), names)
  const script = `
    const fs = require('node:fs')
    const sync = (path, data) => {
      const file = fs.openSync(path, 'r')
      if (data) fs.fdatasyncSync(file)
      else fs.fsyncSync(file)
      fs.closeSync(file)
    }
    ${program}
    process.kill(process.pid, 'SIGKILL')`
  const { signal, stderr } = spawnSync(process.execPath, ['-e', script], {
    cwd: join(root, 'folder'),
    env: { PATH: process.env.PATH ?? '', ...synced.env },
    encoding: 'utf8',
  })
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
  const left = join(root, `left ${readdirSync(root).length}`)
  synced.losePower(left)
  return left
}

const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  )

const mapsOfProcesses = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `/proc/${pid}/maps`)

describe.skipIf(skipsPowerLoss())('the remains of a power loss', () => {
  test('the remains of a power loss contain earlier files, but nothing that was written without a sync', () => {
    const folder = join(root, 'folder')
    mkdirSync(join(folder, 'inside'))
    writeFileSync(join(folder, 'inside', 'old'), 'old', { mode: 0o640 })
    const left = lose(`
      fs.appendFileSync('inside/old', ' and more')
      fs.writeFileSync('new', 'new')
      fs.mkdirSync('made')
      fs.writeFileSync('made/new', 'new')`)
    expect(textsIn(left)).toEqual({ 'inside/old': 'old' })
    expect(existsSync(join(left, 'made'))).toBe(false)
    expect(statSync(join(left, 'inside', 'old')).mode & 0o777).toBe(0o640)
  })

  test('the remains contain the bytes of the last sync, from any process and despite later truncation', () => {
    const left = lose(`
      fs.writeFileSync('log', 'a'.repeat(10_000))
      require('node:child_process').execFileSync('sh', ['-c', 'printf b >> log'], { env: {} })
      sync('log', true)
      fs.appendFileSync('log', 'lost')
      fs.writeFileSync('cut', 'long')
      sync('cut')
      fs.truncateSync('cut', 1)
      fs.writeFileSync('shorter', 'long')
      sync('shorter')
      fs.truncateSync('shorter', 1)
      sync('shorter')`)
    expect(textsIn(left)).toEqual({ log: `${'a'.repeat(10_000)}b`, cut: 'long', shorter: 'l' })
  })

  test('the remains include files synced by child processes without our environment, and files opened with O_DSYNC', () => {
    const left = lose(`
      require('node:child_process').execFileSync('sh', ['-c', 'echo child > child; sync child'], { env: { PATH: process.env.PATH } })
      const file = fs.openSync('each', fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_DSYNC)
      fs.writeSync(file, 'one')
      fs.writevSync(file, [Buffer.from(' two'), Buffer.from(' three')])
      const other = fs.openSync('other', 'w')
      fs.writeSync(other, 'lost')`)
    expect(textsIn(left)).toEqual({ child: 'child\n', each: 'one two three' })
  })

  test('the remains contain a new name after a sync of its file, but a rename or removal only after a sync of its folder', () => {
    const program = `
      for (const name of ['one', 'two', 'gone', 'kept']) {
        fs.writeFileSync(name, name)
        sync(name)
      }
      fs.renameSync('one', 'renamed')
      fs.rmSync('gone')`
    expect(textsIn(lose(program))).toEqual({ one: 'one', two: 'two', gone: 'gone', kept: 'kept' })
    expect(textsIn(lose(`${program}; fs.rmSync('kept'); sync('.')`))).toEqual({ renamed: 'one', two: 'two' })
  })

  test('the remains contain the old version of a replaced file until its folder is synced', () => {
    const program = `
      fs.writeFileSync('file', 'old')
      sync('file')
      fs.writeFileSync('draft', 'new')
      sync('draft')
      fs.renameSync('draft', 'file')`
    expect(textsIn(lose(program))).toEqual({ file: 'old', draft: 'new' })
    expect(textsIn(lose(`${program}; sync('.')`))).toEqual({ file: 'new' })
  })

  test('the remains contain an empty file if a replacement was not synced', () => {
    const left = lose(`
      fs.writeFileSync('file', 'old')
      sync('file')
      fs.writeFileSync('draft', 'new')
      fs.renameSync('draft', 'file')
      sync('.')`)
    expect(textsIn(left)).toEqual({ file: '' })
  })

  test('the remains contain a renamed folder under one name, with its synced content', () => {
    const left = lose(`
      fs.mkdirSync('draft')
      fs.writeFileSync('draft/whole', 'whole')
      sync('draft/whole')
      fs.writeFileSync('draft/lost', 'lost')
      fs.renameSync('draft', 'final')
      sync('final')
      fs.mkdirSync('above')
      fs.renameSync('final', 'above/final')
      sync('above')`)
    expect(textsIn(left)).toEqual({ 'above/final/whole': 'whole', 'above/final/lost': '' })
  })

  test('the remains contain no name whose folder was not synced, on a file system that only follows POSIX', () => {
    const made = (name: string): string => `
      fs.mkdirSync('${name}')
      fs.writeFileSync('${name}/file', '${name}')
      sync('${name}/file')`
    expect(textsIn(lose(made('one'), 'posix'))).toEqual({})
    rmSync(join(root, 'folder', 'one'), { recursive: true })
    expect(textsIn(lose(`${made('two')}; sync('two')`, 'posix'))).toEqual({})
    rmSync(join(root, 'folder', 'two'), { recursive: true })
    expect(textsIn(lose(`${made('all')}; sync('all'); sync('.')`, 'posix'))).toEqual({ 'all/file': 'all' })
  })

  test('the remains contain all names but only synced bytes, on a file system that writes names early', () => {
    const left = lose(
      `
      fs.writeFileSync('removed', 'old')
      fs.writeFileSync('file', 'old')
      sync('removed')
      sync('file')
      fs.rmSync('removed')
      fs.appendFileSync('file', ' lost')
      fs.mkdirSync('made')
      fs.writeFileSync('made/draft', 'lost')
      fs.renameSync('made/draft', 'made/final')`,
      'newest',
    )
    expect(textsIn(left)).toEqual({ file: 'old', 'made/final': '' })
  })

  test('the remains are copied only after every process that uses the folder has ended', async () => {
    using synced = noteSyncs(join(root, 'folder'))
    const program = `require('node:child_process').spawn('sleep', ['1000'], { env: {}, detached: true, stdio: 'ignore' }).unref()
      console.log('started')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['-e', program], {
      env: { PATH: process.env.PATH ?? '', ...synced.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const running = (): number =>
      spawnSync('grep', ['-l', synced.env['LD_PRELOAD'] ?? '', ...mapsOfProcesses()], {
        encoding: 'utf8',
      }).stdout.split('\n').length - 1
    await once(child.stdout, 'data')
    expect(running()).toBe(2)
    synced.losePower(join(root, 'left'))
    expect(running()).toBe(0)
  })

  test('the remains can be used like any folder, and syncs in it can be recorded again', () => {
    const left = lose("fs.writeFileSync('one', 'one'); sync('one')")
    rmSync(join(root, 'folder'), { recursive: true })
    spawnSync('mv', [left, join(root, 'folder')])
    expect(textsIn(lose("fs.writeFileSync('two', 'two'); sync('two')"))).toEqual({ one: 'one', two: 'two' })
  })
})
