import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listedSources } from '@tributary/connectors'
import { fillGuide } from '@tributary/contract'

const root = fileURLToPath(new URL('../../', import.meta.url))

const sources = await Promise.all(listedSources.map((entry) => entry.load()))

/** Returns the code of a source's set-up guide in one language, with all steps, as the page shows it to users. */
export const guideCode = (slug: string, language: string, values: { origin: string; writeKey: string }): string => {
  const source = sources.find((definition) => definition.slug === slug)
  if (source === undefined) throw new Error(`There is no source ${slug}`)
  const steps = source.guide.map((step) => ({ code: '', language: '', ...step }))
  return fillGuide(steps, values)
    .filter((step) => step.language === language)
    .map(({ code }) => code)
    .join('\n\n')
}

/** Returns the folder of one guide. It is kept between runs, so that packages are not downloaded again. */
export const guideFolder = (name: string): string => {
  const folder = join(root, '.cache', 'guides', name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Pattern of a client's errors if its registry is unavailable or blocks the package. Any other error is a mistake of
 * the guide.
 */
const unreachable =
  /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|NameResolutionError|Temporary failure in name resolution|no such host|Unknown host|connection refused|timed out|timeout|Network is unreachable|40[13] Forbidden|not available/i

export type Installed = { missing?: string }

/**
 * Runs one step of an installation. Returns a reason to skip the test if the tool is missing or its registry does not
 * respond. Throws if the step itself is wrong.
 */
export const install = (command: string, args: readonly string[], cwd: string): Installed => {
  const run: SpawnSyncReturns<string> = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, NODE_OPTIONS: '', GOFLAGS: '-mod=mod', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  })
  const said = `${run.stdout ?? ''}${run.stderr ?? ''}`
  if (run.error !== undefined && 'code' in run.error && run.error.code === 'ENOENT')
    return { missing: `${command} is not installed` }
  if (run.status === 0) return {}
  if (run.error !== undefined || unreachable.test(said))
    return { missing: `the registry of ${command} did not give it: ${said.trim().slice(-300)}` }
  throw new Error(`${command} ${args.join(' ')} ended with ${run.status}:\n${said.slice(-3000)}`)
}

/** A program of a guide while it runs. `stop` ends it; `output` is what it printed so far. */
export type GuideProgram = { output(): string; ended: Promise<number | null>; stop(): Promise<void> }

/** Starts a program in a guide's folder. */
export const runGuide = (
  command: string,
  args: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): GuideProgram => {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code))
  })
  return {
    output: () => output,
    ended,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Writes a file into a guide's folder and returns its path. */
export const writeGuideFile = (folder: string, name: string, text: string): string => {
  const path = join(folder, name)
  rmSync(path, { force: true })
  writeFileSync(path, text)
  return path
}
