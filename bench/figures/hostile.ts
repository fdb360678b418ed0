import { setTimeout as pause } from 'node:timers/promises'
import { attacks } from '@tributary/test-kit'
import { startArrivals } from '../arrivals.ts'
import { type Figure, type LoadReport, mean, percentile, runLoad, sizeOf } from '../harness.ts'
import { type Attacker, startAttacker } from '../hostile-attacker.ts'
import { startBench } from '../product.ts'

const maxMs = 250
const maxTimes = 5
/** Maximum time in ms from a request to the arrival of its event at the webhook. */
const maxToWebhookMs = 2000
/** Maximum time in ms to wait for the last events at the webhook. */
const waitMs = 10_000
const seconds = 6
/**
 * Number of rounds for each kind of hostile work. The result of a single round depends more on its time than on the
 * kind.
 */
const rounds = sizeOf('ROUNDS', 2)
/** Events per second of the other tenant: enough for a 99th percentile, but only a twentieth of a real load. */
const rate = 200

const refusedOf = ({ refused }: LoadReport): number => Object.values(refused).reduce((sum, count) => sum + count, 0)

/** Times in ms from the other tenant's single events to their responses, and to their arrival at the webhook. */
type Observed = LoadReport & { toWebhook: readonly number[] }
type Observe = () => Promise<Observed>

/** Results of one kind of hostile work, of all rounds. */
type Attacked = { reports: Observed[]; pieces: number }

const measureAttack = async (observe: Observe, attacker: Attacker, index: number): Promise<Attacked> => {
  await attacker.obey({ order: 'begin', index })
  const report = await observe()
  return { reports: [report], pieces: await attacker.obey({ order: 'end', index }) }
}

const p99Of = (reports: readonly LoadReport[]): number => mean(reports.map(({ p99 }) => p99))

const figureOf = (index: number, { reports, pieces }: Attacked, quiet: number): Figure => {
  const refused = reports.reduce((sum, report) => sum + refusedOf(report), 0)
  const attacked = p99Of(reports)
  const accepted = reports.reduce((sum, report) => sum + report.accepted, 0)
  const delivered = reports.flatMap(({ toWebhook }) => toWebhook)
  const toWebhook = percentile(delivered, 0.95)
  const missing = accepted - delivered.length
  return {
    figure: attacks[index]?.what ?? '',
    target: `p99 < ${maxMs} ms, < ${maxTimes} × ${quiet.toFixed(1)} ms; p95 to the webhook < ${maxToWebhookMs} ms`,
    measured: `${attacked.toFixed(1)} ms, ${toWebhook.toFixed(1)} ms during ${pieces} pieces${refused === 0 ? '' : `, ${refused} refused`}${missing > 0 ? `, ${missing} not at the webhook` : ''}`,
    ratio: attacked / quiet,
    pass:
      refused === 0 && missing <= 0 && attacked < maxMs && attacked < maxTimes * quiet && toWebhook < maxToWebhookMs,
  }
}

/**
 * Measures how each kind of hostile work changes the time in which another tenant's single events are accepted. Every
 * kind runs between two quiet rounds. It is compared with all quiet rounds, because the 99th percentile of one round is
 * only a few events.
 */
export const measureHostile = async (): Promise<Figure[]> => {
  let arrived: number[] = []
  const run = 'hostile'
  await using webhook = await startArrivals(run, (age) => arrived.push(age))
  const bench = await startBench({})
  await using product = bench.product
  await using attacker = await startAttacker(product.url, webhook.url)
  let turn = 0
  const observe: Observe = async () => {
    arrived = []
    const report = await runLoad({
      port: bench.port,
      key: attacker.victimKey,
      connections: 4,
      eventsPerRequest: 1,
      seconds,
      rate,
      run: `${run}.${turn++}`,
    })
    const toWebhook = arrived
    // Waits for the events that have not arrived when the round ends, and counts them.
    const until = performance.now() + waitMs
    while (toWebhook.length < report.accepted && performance.now() < until) await pause(50)
    return { ...report, toWebhook }
  }
  await observe()
  const kinds = [...attacks.keys()]
  const quiet: LoadReport[] = []
  const attacked = new Map<number, Attacked>()
  for (let round = 0; round < rounds; round++)
    for (const index of kinds) {
      if (round === 0) await attacker.obey({ order: 'prepare', index })
      quiet.push(await observe())
      const measured = await measureAttack(observe, attacker, index)
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
