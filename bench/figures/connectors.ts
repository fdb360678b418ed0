import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { startProduct } from '@tributary/test-kit'
import { bundleServer } from '../../scripts/build/server-bundle.mjs'
import { writeCatalog } from '../../scripts/make-connector.ts'
import { type Figure, inTurns, mean, peakResidentBytes, spreadOfRatio, startEnvironment } from '../harness.ts'

const MiB = 1024 * 1024
const limit = 1.1
const pairs = 5

/** Whether a path belongs to a destination by description. */
const isDescribed = (path: string): boolean =>
  [path, dirname(path)].some((folder) => existsSync(join(folder, 'description.json')))

/**
 * Builds a server with the connectors of this checkout, or only with those by code, in a folder below the checkout, so
 * that packages are found.
 */
const buildWith = async (kind: 'all' | 'byCode'): Promise<string> => {
  mkdirSync('.cache', { recursive: true })
  const root = mkdtempSync(resolve('.cache/bench-connectors-'))
  cpSync('connectors', join(root, 'connectors'), {
    recursive: true,
    // The compiler options refer to packages beside the connectors, and a build needs none.
    filter: (path) =>
      !path.includes('.test.') && !path.endsWith('tsconfig.json') && (kind === 'all' || !isDescribed(path)),
  })
  await writeCatalog(root)
  await bundleServer({ root: resolve('.'), folder: join(root, 'server'), connectors: join(root, 'connectors') })
  return root
}

const figureOf = (
  figure: string,
  values: Record<'all' | 'byCode', number[]>,
  unit: (value: number) => string,
): Figure => {
  const ratio = mean(values.all) / mean(values.byCode)
  return {
    figure,
    target: `<= ${limit} of ${unit(mean(values.byCode))}`,
    measured: `${unit(mean(values.all))}, ± ${spreadOfRatio(values.all, values.byCode).toFixed(2)}`,
    ratio,
    pass: ratio <= limit,
  }
}

/**
 * Measures product starts with all kinds of destinations, and with those by code only, in alternation. Measures the time from the
 * spawn of the process until it prints that it is ready, and its peak memory according to the kernel. Each product has
 * its own data folder and uses code that an earlier start compiled.
 */
export const measureConnectors = async (): Promise<Figure[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  const roots = { byCode: await buildWith('byCode'), all: await buildWith('all') }
  const memory: Record<'all' | 'byCode', number[]> = { byCode: [], all: [] }
  const start = async (kind: 'all' | 'byCode'): Promise<number> => {
    const began = performance.now()
    await using product = await startProduct({
      dataDir: join(dataDir, kind),
      command: [
        '--disable-warning=ExperimentalWarning',
        '--max-semi-space-size=16',
        join(roots[kind], 'server/main.mjs'),
      ],
      env: { ...startEnvironment, NODE_COMPILE_CACHE: join(dataDir, `compile-${kind}`) },
    })
    const took = performance.now() - began
    memory[kind].push(peakResidentBytes(product.pid))
    return took
  }
  try {
    for (const kind of ['byCode', 'all'] as const) await start(kind)
    memory.byCode = []
    memory.all = []
    const times = await inTurns(pairs, ['byCode', 'all'], start)
    return [
      figureOf('start with all destinations, ratio to those by code', times, (ms) => `${(ms / 1000).toFixed(2)} s`),
      figureOf('memory, same', memory, (bytes) => `${Math.round(bytes / MiB)} MiB`),
    ]
  } finally {
    for (const root of Object.values(roots)) rmSync(root, { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}
