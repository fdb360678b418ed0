import { type Attack, attacks, createHostileWorld, type HostileWorld } from '@tributary/test-kit'
import { type Figure, type LoadReport, runLoad } from '../harness.ts'
import { startBench } from '../product.ts'

const mostMs = 250
const mostTimes = 5
const seconds = 6
/** Events a second of the one who only wants to send: enough for a 99th percentile, too few to be load. */
const rate = 50

/** The other tenant's single events, while nothing else goes on or while `work` does. */
const observe = async (world: HostileWorld, run: string): Promise<LoadReport> =>
  runLoad({
    port: Number(new URL(world.origin).port),
    key: world.victimKey,
    connections: 4,
    eventsPerRequest: 1,
    seconds,
    rate,
    run,
  })

const refusedOf = ({ refused }: LoadReport): number => Object.values(refused).reduce((sum, count) => sum + count, 0)

/** Quiet, attacked, quiet: the one in the middle is compared with the mean of those around it. */
const measureAttack = async (world: HostileWorld, attack: Attack, index: number): Promise<Figure> => {
  const strike = await attack.prepare(world)
  const before = await observe(world, `quiet-${index}a`)
  let striking = true
  let pieces = 0
  const strikers = Array.from({ length: attack.together }, async () => {
    while (striking) {
      await strike().catch(() => undefined)
      pieces++
    }
  })
  const attacked = await observe(world, `attacked-${index}`)
  striking = false
  await Promise.all(strikers)
  const after = await observe(world, `quiet-${index}b`)
  const quiet = (before.p99 + after.p99) / 2
  const refused = refusedOf(attacked)
  return {
    figure: attack.what,
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
  await using world = await createHostileWorld(product)
  await observe(world, 'warm')
  const figures: Figure[] = []
  for (const [index, attack] of attacks.entries()) {
    const figure = await measureAttack(world, attack, index)
    process.stdout.write(`hostile: ${figure.figure}: ${figure.measured}; ${figure.target}\n`)
    figures.push(figure)
  }
  return figures
}
