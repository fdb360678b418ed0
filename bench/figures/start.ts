import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProduct } from '@tributary/test-kit'
import { type Figure, startEnvironment } from '../harness.ts'

const figureOf = (figure: string, targetSeconds: number, ms: number): Figure => ({
  figure,
  target: `< ${targetSeconds} s`,
  measured: `${(ms / 1000).toFixed(1)} s`,
  pass: ms < targetSeconds * 1000,
})

/**
 * Measures the time from the spawn of the process until it prints that it is ready: first on an empty data folder, then
 * on the same folder again. The first start compiles everything, as in a fresh clone.
 */
export const measureStart = async (): Promise<Figure[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  const timed = async (): Promise<number> => {
    const began = performance.now()
    await using product = await startProduct({
      dataDir,
      env: { ...startEnvironment, NODE_COMPILE_CACHE: join(dataDir, 'compile') },
    })
    if (!(await fetch(`${product.url}/health/ready`)).ok) throw new Error('The product says it is ready and is not')
    return performance.now() - began
  }
  try {
    return [figureOf('first start to ready', 15, await timed()), figureOf('warm start to ready', 5, await timed())]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
