import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startProduct } from '@tributary/test-kit'
import { bundleServer } from '../../scripts/build/server-bundle.mjs'
import { identifierOf } from '../../scripts/connector-catalog.ts'
import { writeCatalog } from '../../scripts/make-connector.ts'
import { type Figure, inTurns, mean, peakResidentBytes, spreadOfRatio, startEnvironment } from '../harness.ts'

const MiB = 1024 * 1024
const fakes = 200
const limit = 1.1
const pairs = 5

/** Adds a copy of the webhook connector under another name. */
const addFake = (root: string, slug: string): void => {
  const folder = join(root, 'connectors/destinations', slug)
  cpSync(join(root, 'connectors/destinations/webhook'), folder, { recursive: true })
  const file = join(folder, 'definition.ts')
  const text = readFileSync(file, 'utf8')
  const renamed = text
    .replace(/export const webhook\b/, `export const ${identifierOf(slug)}`)
    .replace("slug: 'webhook'", `slug: '${slug}'`)
    .replace("title: 'Webhook'", `title: 'Fake ${slug}'`)
  if (!renamed.includes(`slug: '${slug}'`)) throw new Error('The webhook is not as expected')
  writeFileSync(file, renamed)
}

/**
 * Builds a server with the connectors of this checkout and `count` fake ones, in a folder below the checkout, so that
 * packages are found.
 */
const buildWith = async (count: number): Promise<string> => {
  mkdirSync('.cache', { recursive: true })
  const root = mkdtempSync(resolve('.cache/bench-connectors-'))
  cpSync('connectors', join(root, 'connectors'), { recursive: true, filter: (path) => !path.includes('.test.') })
  for (let index = 0; index < count; index++) addFake(root, `fake-${index}`)
  await writeCatalog(root)
  await bundleServer({ root: resolve('.'), folder: join(root, 'server'), connectors: join(root, 'connectors') })
  return root
}

const figureOf = (
  figure: string,
  values: Record<'many' | 'few', number[]>,
  unit: (value: number) => string,
): Figure => {
  const ratio = mean(values.many) / mean(values.few)
  return {
    figure,
    target: `<= ${limit} of ${unit(mean(values.few))}`,
    measured: `${unit(mean(values.many))}, ± ${spreadOfRatio(values.many, values.few).toFixed(2)}`,
    ratio,
    pass: ratio <= limit,
  }
}

/**
 * Measures product starts with and without 200 more kinds of destinations, in alternation. Measures the time from the
 * spawn of the process until it prints that it is ready, and its peak memory according to the kernel. Each product has
 * its own data folder and uses code that an earlier start compiled.
 */
export const measureConnectors = async (): Promise<Figure[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  const roots = { few: await buildWith(0), many: await buildWith(fakes) }
  const memory: Record<'many' | 'few', number[]> = { few: [], many: [] }
  const start = async (kind: 'many' | 'few'): Promise<number> => {
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
    for (const kind of ['few', 'many'] as const) await start(kind)
    memory.few = []
    memory.many = []
    const times = await inTurns(pairs, ['few', 'many'], start)
    return [
      figureOf(`start with ${fakes} connectors more`, times, (ms) => `${(ms / 1000).toFixed(2)} s`),
      figureOf('memory, same', memory, (bytes) => `${Math.round(bytes / MiB)} MiB`),
    ]
  } finally {
    for (const root of Object.values(roots)) rmSync(root, { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}
