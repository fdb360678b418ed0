import { attacks } from '@tributary/test-kit'
import { type Figure, type LoadReport, runLoad } from '../harness.ts'
import { type Attacker, startAttacker } from '../hostile-attacker.ts'
import { startBench } from '../product.ts'

const mostMs = 250
const mostTimes = 5
const seconds = 6
/** Events a second of the one who only wants to send: enough for a 99th percentile, a twentieth of what would be load. */
const rate = 200

const refusedOf = ({ refused }: LoadReport): number => Object.values(refused).reduce((sum, count) => sum + count, 0)

/** What the other tenant's single events take. */
type Observe = (run: string) => Promise<LoadReport>

/** Quiet, attacked, quiet: the one in the middle is compared with the mean of those around it. */
const measureAttack = async (observe: Observe, attacker: Attacker, index: number): Promise<Figure> => {
  await attacker.obey({ order: 'prepare', index })
  const before = await observe(`quiet-${index}a`)
  await attacker.obey({ order: 'begin', index })
  const attacked = await observe(`attacked-${index}`)
  const pieces = await attacker.obey({ order: 'end', index })
  const after = await observe(`quiet-${index}b`)
  const quiet = (before.p99 + after.p99) / 2
  const refused = refusedOf(attacked)
  return {
    figure: attacks[index]?.what ?? '',
    target: `p99 < ${mostMs} ms, < ${mostTimes} × ${quiet.toFixed(1)} ms`,
    measured: `${attacked.p99.toFixed(1)} ms during ${pieces} pieces${refused === 0 ? '' : `, ${refused} refused`}`,
    ratio: attacked.p99 / quiet,
    pass: refused === 0 && attacked.p99 < mostMs && attacked.p99 < mostTimes * quiet,
  }
}

/** What each kind of hostile work does to the time in which another tenant's single events are taken. */
export const measureHostile = async (): Promise<Figure[]> => {
  const bench = await startBench({})
  await using product = bench.product
  await using attacker = await startAttacker(product.url)
  const observe: Observe = (run) =>
    runLoad({ port: bench.port, key: attacker.victimKey, connections: 4, eventsPerRequest: 1, seconds, rate, run })
  await observe('warm')
  const figures: Figure[] = []
  for (const index of attacks.keys()) {
    const figure = await measureAttack(observe, attacker, index)
    process.stdout.write(`hostile: ${figure.figure}: ${figure.measured}; ${figure.target}\n`)
    figures.push(figure)
  }
  return figures
}
