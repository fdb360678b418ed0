import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identify } from '../launch/processes.mjs'
import { hashOfSources } from './sources.mjs'

/** The sources of the server's build. Tests in these folders do not change the build. */
const inputs = [
  'apps/server/src',
  'apps/server/package.json',
  'connectors',
  'packages',
  'package-lock.json',
  'scripts/build-server.mjs',
  'scripts/build/server-build.mjs',
  'scripts/build/server-bundle.mjs',
]

/** @param {string} path */
const isSource = (path) => /\.(ts|json|mjs)$/.test(path) && !path.endsWith('.test.ts')

/**
 * Returns the paths of the server's builds: a folder for each build, named by the hash of its sources, and a file that
 * starts the last build.
 *
 * @param {string} root
 */
const placesOf = (root) => {
  const folder = join(root, 'apps/server/dist')
  return { folder, entry: join(folder, 'main.mjs') }
}

/**
 * Returns the text of the file that starts a build. Compiled code is cached inside the folder of the build, and is
 * removed with it.
 *
 * @param {string} build
 */
const entryText = (build) => `import { enableCompileCache } from 'node:module'
process.env.NODE_COMPILE_CACHE ??= new URL('./${build}/compiled', import.meta.url).pathname
enableCompileCache(process.env.NODE_COMPILE_CACHE)
await import('./${build}/main.mjs')
`

/**
 * Returns the name of a build of the current sources.
 * @param {string} root
 */
const wantedBuild = (root) => hashOfSources(root, inputs, isSource).slice(0, 16)

/**
 * Whether there is a build of the current sources.
 * @param {string} root
 */
export const isServerBuilt = (root) => {
  const { folder, entry } = placesOf(root)
  if (!existsSync(entry)) return false
  const build = wantedBuild(root)
  return readFileSync(entry, 'utf8') === entryText(build) && existsSync(join(folder, build))
}

/**
 * Builds the server, unless it is built, by calling `write` with a folder that does not exist yet. A build gets its
 * name when it is complete, so that an interrupted build is never started. The previous build is kept, because a server
 * that runs from it may still restart a thread or read a connector.
 *
 * @param {string} root
 * @param {(folder: string) => Promise<void>} write
 */
export const buildServer = async (root, write) => {
  const { folder, entry } = placesOf(root)
  const build = wantedBuild(root)
  const before = /\.\/(\w+)\/main/.exec(existsSync(entry) ? readFileSync(entry, 'utf8') : '')?.[1]
  if (!existsSync(join(folder, build))) {
    const draft = join(folder, `${build}.${process.pid}`)
    mkdirSync(folder, { recursive: true })
    rmSync(draft, { recursive: true, force: true })
    try {
      await write(draft)
      renameSync(draft, join(folder, build))
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      // Another process has created the same build meanwhile.
      if (!existsSync(join(folder, build))) throw error
    }
  }
  writeFileSync(`${entry}.${process.pid}`, entryText(build))
  renameSync(`${entry}.${process.pid}`, entry)
  for (const name of readdirSync(folder)) {
    const pid = Number(name.split('.').at(-1))
    const isBeingWritten = pid > 0 && identify(pid) !== undefined
    if (![build, before, 'main.mjs'].includes(name) && !isBeingWritten)
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}
