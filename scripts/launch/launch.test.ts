import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@tributary/test-kit'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installState } from './install.mjs'
import { bigFiles, type Checkout, makeCheckout, type Started } from './launch-fixture.ts'
import { describeNpmFailure } from './npm-failure.mjs'
import { describeEnd, identify } from './processes.mjs'
import { createRestarts } from './restarts.mjs'
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

/** Returns the ID of the npm process that installs, from the lock of the install. */
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

test('an install killed at any point is recognized and repeated, and the result is complete', async () => {
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
    // The launcher may finish before it is killed at the last point. Then everything is installed.
    if (state === 'installed') expect([at, checkout.wholeFiles()]).toEqual([points.at(-1)?.[0], allFiles])
    else expect([at, state]).toEqual([at, 'unfinished'])
  }
  writeFileSync(join(checkout.root, '.cache/install.unfinished'), '')
  // Only the launcher is killed. Its npm continues, and must not write into the next install.
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

test('the program gets the password of the first administrator through a pipe, not in its environment', async () => {
  const password = 'a secret that nobody reads elsewhere'
  const started = checkout.start(launcher, { env: { ...process.env, TRIBUTARY_ADMIN_PASSWORD: password } })
  const server = await serverOf(started)
  expect(started.output()).toContain(`a password of ${password.length} characters`)
  expect(readFileSync(`/proc/${server}/environ`, 'utf8')).not.toContain(password)
  process.kill(server, 'SIGTERM')
  expect(await started.ended).toBe(0)
})

test('two concurrent commands install once', async () => {
  writeFileSync(join(checkout.root, '.cache/install.unfinished'), '')
  const both = [checkout.start(launcher), checkout.start(launcher)]
  for (const started of both) process.kill(await serverOf(started), 'SIGTERM')
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0])
  const said = both.map((started) => started.output()).join('')
  expect(said.match(/Installing dependencies/g)).toHaveLength(1)
  expect(said).toContain('Waiting for the install')
})

test("a command that waits for another's install ends on a signal", async () => {
  mkdirSync(join(checkout.root, '.cache'), { recursive: true })
  writeFileSync(join(checkout.root, '.cache/install.unfinished'), '')
  writeFileSync(join(checkout.root, '.cache/install.lock'), JSON.stringify({ owner: identify(process.pid) }))
  const started = checkout.start(launcher)
  await eventually('it waits', () => started.output().includes('Waiting for the install') || undefined)
  process.kill(started.child.pid ?? 0, 'SIGTERM')
  expect(await started.ended).toBe(143)
  rmSync(join(checkout.root, '.cache/install.lock'))
})

test('starting installs only what running needs, and a test installs the rest, which a later start keeps and updates', async () => {
  using own = makeCheckout(1)
  const hasTool = (): boolean => existsSync(join(own.root, 'node_modules/tool/package.json'))
  const runs = async (command: string, env: NodeJS.ProcessEnv = process.env): Promise<string> => {
    const started = own.start(['node', 'run.mjs', command], { env })
    process.kill(await serverOf(started), 'SIGTERM')
    expect(await started.ended).toBe(0)
    return started.output()
  }
  expect(await runs('start', { ...process.env, NODE_ENV: 'development' })).toContain('Installed 2 packages')
  expect([hasTool(), installState(own.root), installState(own.root, 'all')]).toEqual([false, 'installed', 'other'])
  expect(await runs('test', { ...process.env, NODE_ENV: 'production' })).toContain('Installed 3 packages')
  expect([hasTool(), installState(own.root, 'all')]).toEqual([true, 'installed'])
  expect(await runs('start')).not.toContain('Install')
  const lockfile = join(own.root, 'package-lock.json')
  writeFileSync(lockfile, `${readFileSync(lockfile, 'utf8')}\n`)
  expect(await runs('start')).toContain('Installed 3 packages')
  expect([hasTool(), installState(own.root, 'all')]).toEqual([true, 'installed'])
  // An install by hand may have packages that a developer needs.
  writeFileSync(lockfile, `${readFileSync(lockfile, 'utf8')}\n`)
  rmSync(join(own.root, 'node_modules/.tributary-installed'))
  expect(await runs('start')).toContain('Installed 3 packages')
  expect(hasTool()).toBe(true)
})

const parentOf = (pid: number): number => Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

test.each<[string, (npm: number, server: number) => void]>([
  ['SIGTERM to npm', (npm) => process.kill(npm, 'SIGTERM')],
  ['SIGKILL of npm', (npm) => process.kill(npm, 'SIGKILL')],
  ['SIGINT to all of them, as Ctrl-C', (npm) => process.kill(-npm, 'SIGINT')],
  ['SIGTERM to the launcher', (_npm, server) => process.kill(parentOf(server), 'SIGTERM')],
  ['SIGKILL of the launcher', (_npm, server) => process.kill(parentOf(server), 'SIGKILL')],
])('%s ends all processes that npm start runs', async (_title, end) => {
  const started = checkout.start()
  const server = await serverOf(started)
  end(started.child.pid ?? 0, server)
  await eventually('the server ends', () => !isAlive(server))
  await started.ended
})

describe('npm start restarts a server whose threads do not respond', () => {
  const says = 'The thread main, which did sources.list, has not answered for 30 seconds. Tributary ends'
  const startsOf = async (env: Record<string, string>, command = launcher as readonly string[]) => {
    const started = checkout.start(command, { env: { ...process.env, ...env } })
    const code = await started.ended
    return { code, starts: started.output().split('started\n').length - 1, output: started.output() }
  }

  test.each([
    ['with the code 1', '1'],
    ['by SIGKILL, where no code could be had', 'SIGKILL'],
  ])(
    'a server that ended %s is restarted 5 times in 10 minutes; then the command ends with 1 and the reason',
    async (_title, ENDS) => {
      const { code, starts, output } = await startsOf({ ENDS, SAYS: says })
      expect([code, starts]).toEqual([1, 6])
      expect(output).toContain(`${says}.\n`)
      expect(output).toContain('was started again 5 times in 10 minutes and does not go on')
    },
  )

  test.each([
    ['with 1 for another reason', '1', 1],
    ['with 0', '0', 0],
    ['by SIGKILL for another reason', 'SIGKILL', 137],
  ])('a server that ended %s is not restarted', async (_title, ENDS, wanted) => {
    expect(await startsOf({ ENDS })).toMatchObject({ code: wanted, starts: 1 })
  })

  test('every 10 minutes, a server can be restarted 5 times again', () => {
    const { mayStart } = createRestarts()
    const minute = 60_000
    expect([0, 1, 2, 3, 4, 5, 9.9].map((time) => mayStart(time * minute))).toEqual([
      ...Array.from({ length: 5 }, () => true),
      false,
      false,
    ])
    expect([10, 10.5, 11, 11.5].map((time) => mayStart(time * minute))).toEqual([true, false, true, false])
  })
})

test('a build that a signal ends is reported with the signal, and the next command installs again', async () => {
  mkdirSync(join(checkout.root, 'scripts'), { recursive: true })
  writeFileSync(join(checkout.root, 'scripts/build-web.mjs'), "process.kill(process.pid, 'SIGBUS')")
  const started = checkout.start(['node', 'run.mjs', 'build'])
  expect(await started.ended).toBe(1)
  expect(started.output()).toContain(
    'The build of the web application was ended by the signal SIGBUS. A file that it read is damaged, or the disk is full. Run the command again: it installs all dependencies anew first.',
  )
  expect(installState(checkout.root)).toBe('unfinished')
})

describe('a problem that prevents a command from starting is reported in a sentence, without a stack', () => {
  const oneSentence = async (started: Started, sentence: RegExp) => {
    expect(await started.ended).toBe(1)
    expect(started.output()).toMatch(sentence)
    expect(started.output()).not.toMatch(/^\s+at /m)
  }

  test('a too old Node.js is reported in one sentence', async () => {
    const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.19.0"})'
    const entry = join(repository, 'scripts/run.mjs')
    const started = checkout.start(['node', '--import', old, entry, 'start'])
    await oneSentence(
      started,
      /^Tributary needs Node 20 or newer, and this is Node 18\.19\.0: install a newer one .*\n$/,
    )
    // Node 12 can parse the entry: it imports nothing before the version is checked, and contains no newer syntax.
    const text = readFileSync(entry, 'utf8')
    expect(text).not.toMatch(/^import |^\s*await |\?\.|\?\?|node:|#!|\bassert\s*\{|`[^`]*\$/m)
  })

  test('a missing npm is reported in one sentence', async () => {
    const started = checkout.start([process.execPath, 'run.mjs', 'start'], { env: { PATH: '/nowhere' } })
    await oneSentence(started, /npm was not found\. Install Node with npm/)
  })

  test('an unavailable package registry is reported in one sentence', async () => {
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

  test.skipIf(process.getuid?.() !== 0)(
    'a checkout of another user is reported in one sentence (needs root to change the account)',
    async () => {
      chmodSync(checkout.root, 0o755)
      const started = checkout.start(launcher, { env: { ...process.env, LAUNCH_ACCOUNT: '65534' } })
      await oneSentence(started, /^Cannot write to \S+ \(EACCES\)\. .* Use a checkout that this user can write to\.\n$/)
    },
  )

  test('an unknown command prints the usage', () => {
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
])('a failure of npm with %s is reported with its cause and a remedy', (code, detail, words) => {
  const output = `npm error code ${code}\nnpm error ${detail}\n`
  const text = describeNpmFailure({ code: 1, signal: null }, output, '/x')
  expect(text).toContain(words)
  expect(text).toMatch(/^Cannot install dependencies, because .*\.$/)
})

test("an unknown failure of npm is reported in npm's words, and a signal is reported by its name", () => {
  expect(describeNpmFailure({ code: 7, signal: null }, 'npm error odd\n', '/x')).toMatch(/^npm error odd\n.*code 7/)
  expect(describeNpmFailure({ code: null, signal: 'SIGKILL' }, '', '/x')).toMatch(/SIGKILL.*memory.*starts over/)
  expect(describeEnd('It', { code: 0, signal: null })).toBeUndefined()
})

describe('root commands', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }

  test('every root command is in package.json and runs an existing script; the README names no other command', () => {
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

  test('every root command except those for developers imports only packages that npm start installs', async () => {
    const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>
    }
    const isOwn = (id: string): boolean => /^[./]|^@tributary\//.test(id)
    const input = Object.fromEntries(
      Object.entries(tasks)
        .filter(([, task]) => task.isForDevelopers !== true)
        .map(([name, { script }]) => [name, join(repository, script.replace('/dist/main.mjs', '/src/main.ts'))]),
    )
    const bundle = await rolldown({
      input,
      cwd: repository,
      platform: 'node',
      external: (id) => !isOwn(id),
      onLog() {},
    })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    const imported = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []))
    const names = imported
      .filter((id) => !id.startsWith('node:') && !output.some(({ fileName }) => fileName === id))
      .map((id) => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id)
    expect(names).toContain('kysely')
    expect([...new Set(names)].filter((name) => packages[`node_modules/${name}`]?.dev === true)).toEqual([])
  })

  test('every root command answers --help before anything is installed', () => {
    using bare = makeCheckout(1)
    for (const name of Object.keys(tasks))
      expect(helpOf(name, tasks[name] ?? { script: '', does: '' })).toMatch(/^Usage: npm /)
    const { status, stdout } = spawnSync('node', ['run.mjs', 'start', '--help'], { cwd: bare.root, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, 'Usage: npm start\n\nRuns.\n'])
    expect(existsSync(join(bare.root, 'node_modules'))).toBe(false)
  })
})
