import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildServer, isServerBuilt } from './server-build.mjs'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tributary-build-'))
  put('apps/server/src/main.ts', 'one')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Creates a function that writes a build whose program prints `says`. */
const writes = (says: string) => async (folder: string) => {
  mkdirSync(folder)
  writeFileSync(join(folder, 'main.mjs'), `process.stdout.write(${JSON.stringify(says)})`)
}

/** Returns the output of the program that was built last. */
const said = (): string =>
  spawnSync(process.execPath, [join(root, 'apps/server/dist/main.mjs')], { encoding: 'utf8' }).stdout

/** Returns the code of a program that creates the folder of a build and runs the code `then`. */
const builderOf = (then: string): string => `
  import { mkdirSync, writeFileSync } from 'node:fs'
  import { join } from 'node:path'
  import { buildServer } from ${JSON.stringify(new URL('server-build.mjs', import.meta.url).href)}
  await buildServer(${JSON.stringify(root)}, async (folder) => {
    mkdirSync(folder)
    ${then}
  })`

/** Code that prints that it has begun, and never ends. */
const hanging = `process.stdout.write('writing')
    await new Promise(() => setInterval(() => {}, 1000))`

const drafts = (): string[] => readdirSync(join(root, 'apps/server/dist')).filter((name) => /^\w+\.\d+$/.test(name))

test('a changed, new or removed source causes a new build; a changed test does not', async () => {
  expect(isServerBuilt(root)).toBe(false)
  await buildServer(root, writes('one'))
  expect([isServerBuilt(root), said()]).toEqual([true, 'one'])
  put('apps/server/src/main.test.ts', 'a test')
  put('packages/kernel/README', 'words')
  expect(isServerBuilt(root)).toBe(true)
  const changes: (() => void)[] = [
    () => put('apps/server/src/main.ts', 'two'),
    () => put('connectors/new.ts', 'new'),
    () => put('package-lock.json', '{}'),
    () => rmSync(join(root, 'connectors/new.ts')),
  ]
  for (const [at, change] of changes.entries()) {
    change()
    expect(isServerBuilt(root), `change ${at}`).toBe(false)
    await buildServer(root, writes(`build ${at}`))
    expect([isServerBuilt(root), said()]).toEqual([true, `build ${at}`])
  }
})

test('a failed or killed build is never started: the previous build starts, and the next command builds again', async () => {
  await buildServer(root, writes('one'))
  put('apps/server/src/main.ts', 'two')
  const failing = buildServer(root, async (folder) => {
    await writes('half')(folder)
    throw new Error('no room')
  })
  await expect(failing).rejects.toThrow('no room')
  expect([isServerBuilt(root), said(), drafts()]).toEqual([false, 'one', []])

  const child = spawn(process.execPath, ['--input-type=module', '-e', builderOf(hanging)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  expect([isServerBuilt(root), said(), drafts().length]).toEqual([false, 'one', 1])
  // The unfinished build of a running process is not removed.
  await buildServer(root, writes('two'))
  expect([isServerBuilt(root), said(), drafts().length]).toEqual([true, 'two', 1])
  child.kill('SIGKILL')
  await once(child, 'exit')
  put('apps/server/src/main.ts', 'three')
  await buildServer(root, writes('three'))
  expect([isServerBuilt(root), said(), drafts()]).toEqual([true, 'three', []])
})

test('two concurrent builds of the same sources result in a complete one', async () => {
  await buildServer(root, async (folder) => {
    await writes('whole')(folder)
    const other = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        builderOf("writeFileSync(join(folder, 'main.mjs'), 'process.stdout.write(\"whole\")')"),
      ],
      { encoding: 'utf8' },
    )
    expect([other.status, isServerBuilt(root)]).toEqual([0, true])
  })
  expect([isServerBuilt(root), said(), drafts()]).toEqual([true, 'whole', []])
})

test('a server of the previous build still finds its files; older builds are deleted', async () => {
  const builds: string[] = []
  for (const says of ['one', 'two', 'three']) {
    put('apps/server/src/main.ts', says)
    await buildServer(root, async (folder) => {
      builds.push(folder.replace(/\.\d+$/, ''))
      await writes(says)(folder)
    })
  }
  expect(builds.map((folder) => existsSync(folder))).toEqual([false, true, true])
})
