import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, type LoadReport, median, runLoad, startListening, thousands } from '../harness.ts'

/** The number of concurrent requests, their size, and the roles that run beside them (all by default). */
export type Shape = { name: string; connections: number; eventsPerRequest: number; target: number; roles?: string }

/**
 * Batches are promised for acceptance as such, so they are measured without the pipeline, which would fight for the same
 * processors and whose own speed is the figure `stored`. Single events are promised with the pipeline running.
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

/** Events a second that the baseline server acknowledges: `file`, or `log` with the product's log in its place. */
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

/** Prints what the log alone costs against the baseline: no figure, but where to look when one is missed. */
export const reportLogAlone = async (seconds: number): Promise<void> => {
  for (const shape of shapes) {
    const file = await measureBaseline(shape, 'file', seconds)
    const log = await measureBaseline(shape, 'log', seconds)
    process.stdout.write(
      `${shape.name}: file ${thousands(file)} events/s, log ${thousands(log)} events/s, ratio ${(log / file).toFixed(2)}\n`,
    )
  }
}

/** Compares a running product with the baseline, in turns, so that both meet the same state of the machine. */
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
