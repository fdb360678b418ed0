import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Figure, thousands } from '../harness.ts'

const bench = fileURLToPath(new URL('../../packages/connector-kit/bench/mapping.ts', import.meta.url))
/**
 * Minimum events per second: the number that the pipeline stores, so that mapping for one destination is not the
 * bottleneck.
 */
const minRate = 20_000

/** Measures the events per second that one thread maps to 20 fields, from the text of an event to the sent text. */
export const measureMapping = async (): Promise<Figure[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, [bench, '50000', 'json'])
  const cost: { alone: number; mapped: number } = JSON.parse(stdout)
  const rate = 1e6 / cost.mapped
  return [
    {
      figure: 'mapped to 20 fields, 7 of them hashed',
      target: `≥ ${thousands(minRate)}/s of processor time`,
      measured: `${thousands(rate)}/s (${cost.mapped.toFixed(1)} µs/event, reading and writing alone ${cost.alone.toFixed(1)})`,
      ratio: rate / minRate,
      pass: rate >= minRate,
    },
  ]
}
