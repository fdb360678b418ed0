import { attacks } from '@tributary/test-kit'
import { type Figure, type LoadReport, mean, runLoad } from '../harness.ts'
import { type Attacker, startAttacker } from '../hostile-attacker.ts'
import { startBench } from '../product.ts'

const maxMs = 250
const maxTimes = 5
const seconds = 6
/** How often each kind is measured: one round says more of the moment than of the kind. */
const rounds = 2
/** Events a second of the one who only wants to send: enough for a 99th percentile, a twentieth of what would be load. */
const rate = 200

const refusedOf = ({ refused }: LoadReport): number => Object.values(refused).reduce((sum, count) => sum + count, 0)

/** What the other tenant's single events take. */
type Observe = (run: string) => Promise<LoadReport>

/** What one kind of hostile work did, over its rounds. */
type Attacked = { reports: LoadReport[]; pieces: number }

const measureAttack = async (observe: Observe, attacker: Attacker, index: number, round: number): Promise<Attacked> => {
  await attacker.obey({ order: 'begin', index })
  const report = await observe(`attacked-${index}-${round}`)
  return { reports: [report], pieces: await attacker.obey({ order: 'end', index }) }
}

const p99Of = (reports: readonly LoadReport[]): number => mean(reports.map(({ p99 }) => p99))

const figureOf = (index: number, { reports, pieces }: Attacked, quiet: number): Figure => {
  const refused = reports.reduce((sum, report) => sum + refusedOf(report), 0)
  const attacked = p99Of(reports)
  return {
    figure: attacks[index]?.what ?? '',
    target: `p99 < ${maxMs} ms, < ${maxTimes} × ${quiet.toFixed(1)} ms`,
    measured: `${attacked.toFixed(1)} ms during ${pieces} pieces${refused === 0 ? '' : `, ${refused} refused`}`,
    ratio: attacked / quiet,
    pass: refused === 0 && attacked < maxMs && attacked < maxTimes * quiet,
  }
}

/**
 * What each kind of hostile work does to the time in which another tenant's single events are taken: every kind between
 * two quiet turns, compared with all quiet turns of the run, since the 99th percentile of a single one is a few events.
 */
export const measureHostile = async (): Promise<Figure[]> => {
  const bench = await startBench({})
  await using product = bench.product
  await using attacker = await startAttacker(product.url)
  const observe: Observe = (run) =>
    runLoad({ port: bench.port, key: attacker.victimKey, connections: 4, eventsPerRequest: 1, seconds, rate, run })
  await observe('warm')
  const kinds = [...attacks.keys()]
  const quiet: LoadReport[] = []
  const attacked = new Map<number, Attacked>()
  for (let round = 0; round < rounds; round++)
    for (const index of kinds) {
      if (round === 0) await attacker.obey({ order: 'prepare', index })
      quiet.push(await observe(`quiet-${index}-${round}`))
      const measured = await measureAttack(observe, attacker, index, round)
      const { reports, pieces } = attacked.get(index) ?? { reports: [], pieces: 0 }
      attacked.set(index, { reports: [...reports, ...measured.reports], pieces: pieces + measured.pieces })
      process.stdout.write(
        `hostile: ${attacks[index]?.what}: ${p99Of(measured.reports).toFixed(1)} ms, quiet ${quiet.at(-1)?.p99.toFixed(1)} ms\n`,
      )
    }
  const quietP99s = quiet.map(({ p99 }) => p99)
  process.stdout.write(
    `hostile: quiet ${Math.min(...quietP99s).toFixed(1)} to ${Math.max(...quietP99s).toFixed(1)} ms\n`,
  )
  return kinds.map((index) => figureOf(index, attacked.get(index) ?? { reports: [], pieces: 0 }, p99Of(quiet)))
}
