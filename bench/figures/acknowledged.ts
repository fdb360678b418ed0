import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, type LoadReport, median, runLoad, startListening, thousands } from '../harness.ts'

/**
 * A kind of load: the number of concurrent requests, events per request, the target ratio, and the roles of the product
 * (all by default).
 */
export type Shape = { name: string; connections: number; eventsPerRequest: number; target: number; roles?: string }

/**
 * The target for batches is about acceptance alone. So batches are measured without the pipeline, which would use the
 * same processors; the speed of the pipeline is the figure `stored`. The target for single events includes the running
 * pipeline.
 */
export const shapes: readonly Shape[] = [
  {
    name: 'acknowledged, batches of 100, roles api and collect',
    connections: 16,
    eventsPerRequest: 100,
    target: 0.5,
    roles: 'api,collect',
  },
  {
    name: 'acknowledged, single events, 64 connections, all roles',
    connections: 64,
    eventsPerRequest: 1,
    target: 0.4,
  },
]

const rate = (report: LoadReport): number => report.accepted / report.seconds

/**
 * Measures events per second that the baseline server acknowledges. With `log`, the product's log replaces the file.
 */
export const measureBaseline = async (shape: Shape, kind: 'file' | 'log', seconds: number): Promise<number> => {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  const server = await startListening('./baseline-http.ts', [dir, kind])
  try {
    const load = { port: server.port, key: 'baseline', run: 'b', ...shape }
    await runLoad({ ...load, seconds: 1 })
    return rate(await runLoad({ ...load, seconds }))
  } finally {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * Prints the cost of the log alone, compared with the baseline. This is not a figure, but it helps to find out why a
 * figure is missed.
 */
export const reportLogAlone = async (seconds: number): Promise<void> => {
  for (const shape of shapes) {
    const file = await measureBaseline(shape, 'file', seconds)
    const log = await measureBaseline(shape, 'log', seconds)
    process.stdout.write(
      `${shape.name}: file ${thousands(file)} events/s, log ${thousands(log)} events/s, ratio ${(log / file).toFixed(2)}\n`,
    )
  }
}

/** Measures a running product and the baseline in alternation, so that the machine is in the same state for both. */
export const measureAcknowledged = async (
  shape: Shape,
  product: { port: number; key: string; settle(): Promise<void> },
  seconds: number,
): Promise<Figure> => {
  const baselines: number[] = []
  const products: number[] = []
  for (let round = 0; round < 3; round++) {
    baselines.push(await measureBaseline(shape, 'file', seconds))
    const load = { port: product.port, key: product.key, ...shape }
    if (round === 0) await runLoad({ ...load, seconds: 1, run: `w${shape.eventsPerRequest}` })
    const report = await runLoad({ ...load, seconds, run: `a${shape.eventsPerRequest}-${round}` })
    if (Object.keys(report.refused).length > 0)
      process.stdout.write(`${shape.name}: refused ${JSON.stringify(report.refused)}\n`)
    products.push(rate(report))
    await product.settle()
  }
  const ratio = median(products) / median(baselines)
  return {
    figure: shape.name,
    target: `>= ${shape.target} of ${thousands(median(baselines))}/s`,
    measured: `${thousands(median(products))}/s`,
    ratio,
    pass: ratio >= shape.target,
  }
}
