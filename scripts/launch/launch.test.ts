import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installState } from './install.mjs'
import { bigFiles, type Checkout, makeCheckout, type Started } from './launch-fixture.ts'
import { describeNpmFailure } from './npm-failure.mjs'
import { describeEnd, identify } from './processes.mjs'
import { helpOf, tasks } from './tasks.mjs'

const repository = new URL('../..', import.meta.url).pathname
const allFiles = bigFiles + 3
const launcher = ['node', 'run.mjs', 'start'] as const

let checkout: Checkout
beforeAll(() => {
  checkout = makeCheckout()
})
afterAll(() => checkout[Symbol.dispose]())

const isAlive = (pid: number): boolean => identify(pid) !== undefined

const serverOf = (started: Started): Promise<number> =>
  eventually('the server runs', () => Number(/ready (\d+)/.exec(started.output())?.[1]) || undefined)

const killGroup = async ({ child, ended }: Started): Promise<void> => {
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await ended
}

/** The process of npm that installs, as the install's lock names it. */
const installingNpm = (): number | undefined => {
  try {
    return JSON.parse(readFileSync(join(checkout.root, '.cache/install.lock'), 'utf8')).npm?.pid
  } catch {
    return undefined
  }
}

const filesThere = (): number => {
  const folder = join(checkout.root, 'node_modules/big')
  return existsSync(folder) ? readdirSync(folder).length : 0
}

test('an install that was killed at any point is recognised and begun anew, and what runs then is whole', async () => {
  const points: [at: string, there: () => boolean][] = [
    ['before npm has written anything', () => existsSync(join(checkout.root, '.cache/install.unfinished'))],
    ['at the first file', () => filesThere() > 0],
    ['at half of the files', () => filesThere() > bigFiles / 2],
    ['when npm is as good as done', () => existsSync(join(checkout.root, 'node_modules/.package-lock.json'))],
  ]
  for (const [at, there] of points) {
    const started = checkout.start(launcher)
    await eventually(at, there)
    await killGroup(started)
    const state = installState(checkout.root)
    // At the end the launcher may be quicker than the kill: then everything is there.
    if (state === 'installed') expect([at, checkout.wholeFiles()]).toEqual([points.at(-1)?.[0], allFiles])
    else expect([at, state]).toEqual([at, 'unfinished'])
  }
  writeFileSync(join(checkout.root, '.cache/install.unfinished'), '')
  // The launcher alone: its npm goes on, and must not write into what the next one installs.
  const alone = checkout.start(launcher)
  const orphan = await eventually('npm writes', () => filesThere() > 100 && installingNpm())
  process.kill(alone.child.pid ?? 0, 'SIGKILL')
  await eventually('it is gone', () => !isAlive(alone.child.pid ?? 0))
  const last = checkout.start(launcher)
  const server = await serverOf(last)
  expect(isAlive(orphan)).toBe(false)
  expect(last.output()).toContain('The last install did not finish')
  expect(last.output()).toMatch(/Installing dependencies \(once\): \d+ of 2 packages[^]*Installed 2 packages/)
  expect(checkout.wholeFiles()).toBe(allFiles)
  expect(installState(checkout.root)).toBe('installed')
  process.kill(server, 'SIGTERM')
  expect(await last.ended).toBe(0)
})

test('two commands at once install once', async () => {
  writeFileSync(join(checkout.root, '.cache/install.unfinished'), '')
  const both = [checkout.start(launcher), checkout.start(launcher)]
  for (const started of both) process.kill(await serverOf(started), 'SIGTERM')
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0])
  const said = both.map((started) => started.output()).join('')
  expect(said.match(/Installing dependencies/g)).toHaveLength(1)
  expect(said).toContain('Waiting for the install')
})

const parentOf = (pid: number): number => Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

test.each<[string, (npm: number, server: number) => void]>([
  ['SIGTERM to npm', (npm) => process.kill(npm, 'SIGTERM')],
  ['SIGKILL of npm', (npm) => process.kill(npm, 'SIGKILL')],
  ['SIGINT to all of them, as Ctrl-C', (npm) => process.kill(-npm, 'SIGINT')],
  ['SIGTERM to the launcher', (_npm, server) => process.kill(parentOf(server), 'SIGTERM')],
  ['SIGKILL of the launcher', (_npm, server) => process.kill(parentOf(server), 'SIGKILL')],
])('%s ends what npm start runs', async (_title, end) => {
  const started = checkout.start()
  const server = await serverOf(started)
  end(started.child.pid ?? 0, server)
  await eventually('the server ends', () => !isAlive(server))
  await started.ended
})

test('a build that dies of a signal is named with it, and the next command installs anew', async () => {
  mkdirSync(join(checkout.root, 'scripts'), { recursive: true })
  writeFileSync(join(checkout.root, 'scripts/build-web.mjs'), "process.kill(process.pid, 'SIGBUS')")
  const started = checkout.start(['node', 'run.mjs', 'build'])
  expect(await started.ended).toBe(1)
  expect(started.output()).toContain(
    'The build of the web application was ended by the signal SIGBUS. A file that it read is damaged, or the disk is full. Run the command again: it installs all dependencies anew first.',
  )
  expect(installState(checkout.root)).toBe('unfinished')
})

describe('what keeps a command from starting is told in a sentence, without a stack', () => {
  const oneSentence = async (started: Started, sentence: RegExp) => {
    expect(await started.ended).toBe(1)
    expect(started.output()).toMatch(sentence)
    expect(started.output()).not.toMatch(/^\s+at /m)
  }

  test('a Node that is too old', async () => {
    const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.19.0"})'
    const entry = join(repository, 'scripts/run.mjs')
    const started = checkout.start(['node', '--import', old, entry, 'start'])
    await oneSentence(
      started,
      /^Tributary needs Node 20 or newer, and this is Node 18\.19\.0: install a newer one .*\n$/,
    )
    // What Node 12 reads: nothing is imported before the version is known, and no later syntax.
    const text = readFileSync(entry, 'utf8')
    expect(text).not.toMatch(/^import |^\s*await |\?\.|\?\?|node:|#!|\bassert\s*\{|`[^`]*\$/m)
  })

  test('npm that is missing', async () => {
    const started = checkout.start([process.execPath, 'run.mjs', 'start'], { env: { PATH: '/nowhere' } })
    await oneSentence(started, /npm was not found\. Install Node with npm/)
  })

  test('a package registry that is away', async () => {
    using lone = makeCheckout(1)
    const manifest = JSON.parse(readFileSync(join(lone.root, 'package.json'), 'utf8'))
    manifest.dependencies = { 'a-package-that-is-fetched': '1.0.0' }
    writeFileSync(join(lone.root, 'package.json'), JSON.stringify(manifest))
    const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:1/' }
    await oneSentence(
      lone.start(launcher, { env }),
      /the package registry http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): check the network/,
    )
    expect(installState(lone.root)).toBe('unfinished')
  })

  test.skipIf(process.getuid?.() !== 0)('a checkout of somebody else (needs root to become nobody)', async () => {
    chmodSync(checkout.root, 0o755)
    const started = checkout.start(launcher, { uid: 65_534, gid: 65_534 })
    await oneSentence(started, /^Cannot write to \S+ \(EACCES\)\. .* Use a checkout that this user can write to\.\n$/)
  })

  test('a command that there is none of', () => {
    const { status, stderr } = spawnSync('node', [join(repository, 'scripts/run.mjs'), 'strat'], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Usage: npm run <start\|dev\|/)])
  })
})

test.each([
  [
    'ENOTFOUND',
    'request to https://registry.npmjs.org/x failed',
    'registry https://registry.npmjs.org cannot be reached',
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'https://mirror.example/x', 'point NODE_EXTRA_CA_CERTS at'],
  ['ENOSPC', 'path /x/node_modules/y', 'the disk is full'],
  ['EROFS', 'path /x/node_modules', '/x/node_modules is on a disk that is mounted read-only'],
  ['EACCES', 'path /home/ada/.npm/_cacache', 'this user is not allowed to write to /home/ada/.npm/_cacache'],
  ['E403', 'https://mirror.example/x', 'registry https://mirror.example refuses this user'],
  ['ETARGET', 'No matching version', 'lacks a package'],
  ['EINTEGRITY', 'sha512', 'npm cache clean --force'],
  ['E503', 'https://mirror.example/x', 'does not answer as it should'],
])('a failure of npm with %s says its cause and what to do', (code, detail, words) => {
  const output = `npm error code ${code}\nnpm error ${detail}\n`
  const text = describeNpmFailure({ code: 1, signal: null }, output, '/x')
  expect(text).toContain(words)
  expect(text).toMatch(/^Cannot install dependencies, because .*\.$/)
})

test('a failure of npm that is not understood keeps its words, and a signal its name', () => {
  expect(describeNpmFailure({ code: 7, signal: null }, 'npm error odd\n', '/x')).toMatch(/^npm error odd\n.*code 7/)
  expect(describeNpmFailure({ code: null, signal: 'SIGKILL' }, '', '/x')).toMatch(/SIGKILL.*memory.*starts over/)
  expect(describeEnd('It', { code: 0, signal: null })).toBeUndefined()
})

describe('root commands', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }

  test('every one is in package.json and leads to a script that exists; the README names no other', () => {
    expect(scripts).toEqual(
      Object.fromEntries(Object.keys(tasks).map((name) => [name, `node scripts/run.mjs ${name}`])),
    )
    for (const { script, isBuild } of Object.values(tasks)) {
      const source = isBuild === true ? script.replace('/dist/main.mjs', '/src/main.ts') : script
      expect(existsSync(join(repository, source)), script).toBe(true)
    }
    const readme = readFileSync(join(repository, 'README.md'), 'utf8')
    const named = [...readme.matchAll(/npm (start|test|run [a-z]+(?:-[a-z]+)*)/g)].map(([, name = '']) =>
      name.replace('run ', ''),
    )
    expect(named.length).toBeGreaterThan(10)
    expect(Object.keys(tasks)).toEqual(expect.arrayContaining(named))
  })

  test('every one answers --help, before anything is installed', () => {
    using bare = makeCheckout(1)
    for (const name of Object.keys(tasks))
      expect(helpOf(name, tasks[name] ?? { script: '', does: '' })).toMatch(/^Usage: npm /)
    const { status, stdout } = spawnSync('node', ['run.mjs', 'start', '--help'], { cwd: bare.root, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, 'Usage: npm start\n\nRuns.\n'])
    expect(existsSync(join(bare.root, 'node_modules'))).toBe(false)
  })
})
