import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Returns the entries of processes and threads. Each becomes a file of the build with this name.
 *
 * @param {string} root @param {string} connectors
 */
const entriesOf = (root, connectors) => ({
  main: join(root, 'apps/server/src/main.ts'),
  'pipeline-thread': join(root, 'apps/server/src/threads/pipeline-thread.ts'),
  'delivery-thread': join(root, 'apps/server/src/threads/delivery-thread.ts'),
  'profiles-thread': join(root, 'apps/server/src/threads/profiles-thread.ts'),
  'signals-thread': join(root, 'apps/server/src/threads/signals-thread.ts'),
  'watchdog-thread': join(root, 'apps/server/src/threads/watchdog/watchdog-thread.ts'),
  'log-thread': join(root, 'packages/storage/src/log/sqlite/worker.ts'),
  'event-store': join(root, 'packages/storage/src/event-store/chdb/main.ts'),
  'file-thread': join(connectors, 'wire/files/file-thread.ts'),
})

/** Packages with native code or WebAssembly, which read files of their own folder. */
const native = [/^chdb/, /^@napi-rs\//, /^@node-rs\//, /^@platformatic\//, /^pg-native$/, /^ssh2$/]

/**
 * Keeps references by `import.meta.url` valid, with which our code finds files beside it. Files that are started become
 * files of the build. All others, such as a logo, are read in the checkout.
 *
 * @param {Record<string, string>} entries
 * @param {string} folder
 */
const keepPlaces = (entries, folder) => {
  const names = new Map(Object.entries(entries).map(([name, path]) => [path, name]))
  return {
    name: 'keep-places',
    transform: {
      filter: { id: { exclude: /node_modules/ }, code: 'import.meta.url' },
      /** @param {string} code @param {string} id */
      handler(code, id) {
        const started = code.replace(
          /new URL\((['"])(\.[^'"]+\.ts)\1, import\.meta\.url\)/g,
          (_, __, /** @type {string} */ path) => {
            const name = names.get(join(dirname(id), path))
            if (name === undefined) throw new Error(`${path}, which ${id} starts, is not an entry of the build`)
            return `new URL('./${name}.mjs', import.meta["url"])`
          },
        )
        const own = JSON.stringify(relative(folder, id))
        return started
          .replaceAll('import.meta.url', `new URL(${own}, import.meta["url"]).href`)
          .replaceAll('import.meta["url"]', 'import.meta.url')
      },
    },
  }
}

/**
 * Bundles the server and its imports into a few files: an entry for each process and thread, shared files, and a file
 * for each connector. Names and lines are kept, comments are removed.
 *
 * @param {{ root: string, folder: string, connectors?: string, onModule?: () => void }} options `folder` is created;
 * `connectors` replaces the connectors of the checkout
 * @returns {Promise<void>} rejects if an import cannot be resolved
 */
export const bundleServer = async ({ root, folder, connectors = join(root, 'connectors'), onModule }) => {
  /** @type {typeof import('rolldown')} */
  const { rolldown } = await import(pathToFileURL(join(root, 'node_modules/rolldown/dist/index.mjs')).href)
  const entries = entriesOf(root, connectors)
  const bundle = await rolldown({
    input: entries,
    cwd: root,
    platform: 'node',
    external: native,
    resolve: { alias: { '@tributary/connectors': join(connectors, 'index.ts') } },
    plugins: [keepPlaces(entries, folder), { name: 'progress', moduleParsed: () => onModule?.() }],
    onLog(level, log, handle) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      // The replacement of `import.meta.url` moves columns, but not lines.
      if (log.code !== 'SOURCEMAP_BROKEN') handle(level, log)
    },
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    // Stack traces show the names of these files.
    chunkFileNames: ({ facadeModuleId }) =>
      `${/connectors\/[\w-]+\/([\w-]+)\/definition\.ts$/.exec(facadeModuleId ?? '')?.[1] ?? 'shared'}-[hash].mjs`,
    comments: false,
    charset: 'ascii',
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
  })
  await bundle.close()
}
