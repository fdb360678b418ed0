import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@tributary/test-kit'
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { type Bench, startBench } from '../product.ts'

const targetRatio = 0.97
const pairs = 8
const people = 20_000
/** Maximum time in ms after an event until a limit takes effect and the usage is right. */
const withinMs = 60_000
const waitMs = 300_000

const features = {
  events: -1,
  sources: -1,
  destinations: -1,
  audiences: -1,
  white_glove_onboarding: false,
  customer_success_manager: false,
}
/** Returns the text of plans: a free plan with this number of profiles, and a plan without a limit. */
const catalogue = (profiles: number): string =>
  JSON.stringify({
    currency: 'USD',
    plans: [
      { name: 'plans/free', title: 'Free', description: '', monthly: 0, features: { ...features, profiles } },
      { name: 'plans/team', title: 'Team', description: '', monthly: 12_000, features: { ...features, profiles: -1 } },
    ],
  })

const startLimited = async (folder: string, profiles: number): Promise<Bench> => {
  const file = join(folder, `plans-${profiles}.json`)
  await writeFile(file, catalogue(profiles))
  return await startBench({
    env: {
      TRIBUTARY_PLANS_FILE: file,
      TRIBUTARY_PLAN_LIMITS: 'on',
      TRIBUTARY_PLAN_GRACE_HOURS: '0',
      TRIBUTARY_PAYMENT: 'sandbox-in-production',
    },
  })
}

/** Measures events per second from the first request to the last row that the event store acknowledged. */
const storedRate = async (bench: Bench, run: string, events: number): Promise<number> => {
  const began = performance.now()
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100, people }
  const { accepted } = await runLoad({ ...load, run, events })
  await bench.settle()
  return accepted / (((await bench.lastStored()) - began) / 1000)
}

/** Calls the product and returns the response, whose type the contract defines. */
const ask = async <T>({ product }: Bench, verb: string, path: string, body?: unknown): Promise<T> =>
  (await product.api.ok(verb, path, body)) as T

type Usage = { profiles: number }
type Report = { held: { events: number; since: string | null } }

/**
 * Measures three durations in ms: until an event is in the usage, until the limit takes effect, and from an upgrade
 * until all held events are released.
 */
const measureDelays = async (folder: string): Promise<{ counted: number; held: number; released: number }> => {
  const bench = await startLimited(folder, 10)
  await using _ = bench.product
  const { organization: own } = await ask<{ organization: { name: string } }>(bench, 'GET', `/${bench.workspace}`)
  const organization = own.name
  const send = (run: string, events: number) =>
    runLoad({ port: bench.port, key: bench.key, connections: 1, eventsPerRequest: events, people: events, run, events })
  const elapsed = async (what: string, done: () => Promise<boolean>): Promise<number> => {
    const began = performance.now()
    await eventually(
      what,
      async () => {
        if (await done()) return true
        await pause(250)
        return false
      },
      waitMs,
    )
    return performance.now() - began
  }
  await send('over', 20)
  const counted = await elapsed('the usage', async () => {
    const usage = await ask<Usage>(bench, 'GET', `/${organization}/usage`)
    return usage.profiles === 20
  })
  let sent = 0
  const statuses = async (status: string) =>
    (await ask<{ events: unknown[] }>(bench, 'GET', `/${bench.workspace}/events?status=${status}&page_size=1000`))
      .events
  const held = await elapsed('the limit', async () => {
    await send(`more-${sent}`, 2)
    sent += 2
    await pause(500)
    return (await statuses('held')).length > 0
  })
  const { client_secret } = await ask<{ client_secret: string }>(
    bench,
    'POST',
    `/${organization}:billingSetupIntent`,
    {},
  )
  const card = { client_secret, number: '4242424242424242', exp_month: 12, exp_year: 2090, cvc: '123' }
  await ask(bench, 'POST', `/${organization}:confirmSandboxCard`, card)
  await ask(bench, 'PATCH', `/${organization}/subscription`, { plan: 'plans/team', recurring_interval: 'MONTHLY' })
  const released = await elapsed('the release', async () => {
    const report = await ask<Report>(bench, 'GET', `/${organization}/usageReport`)
    return report.held.since === null && report.held.events === 0
  })
  await bench.settle()
  // Each event is accepted once, whether it was held before or not.
  const accepted = (await statuses('accepted')).length
  if (accepted !== 20 + sent) throw new Error(`${accepted} events were accepted of ${20 + sent}`)
  return { counted, held, released }
}

/**
 * Measures the cost of metering: stored events per second of a product that enforces plan limits ÷ those of one that
 * does not, in alternation. Meanwhile, the first product measures the organization twice a minute. Also measures how
 * long usage, a limit, and a release take.
 */
export const measureMetering = async (events: number): Promise<Figure[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  try {
    const delays = await measureDelays(folder)
    const limited = await startLimited(folder, 1_000_000_000)
    await using _ = limited.product
    const free = await startBench({})
    await using __ = free.product
    const products = { limited, free }
    for (const bench of Object.values(products)) await storedRate(bench, 'warm', events / 10)
    const rates = await inTurns(pairs, ['free', 'limited'] as const, (kind, round) =>
      storedRate(products[kind], `metering-${round}`, events),
    )
    const ratio = mean(rates.limited) / mean(rates.free)
    const spread = spreadOfRatio(rates.limited, rates.free).toFixed(2)
    const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
    const delay = (figure: string, ms: number): Figure => ({
      figure,
      target: `< ${inSeconds(withinMs)}`,
      measured: inSeconds(ms),
      pass: ms < withinMs,
    })
    return [
      {
        figure: 'stored with metering of plans',
        target: `>= ${targetRatio} of ${thousands(mean(rates.free))}/s without`,
        measured: `${thousands(mean(rates.limited))}/s (ratio ± ${spread})`,
        ratio,
        pass: ratio >= targetRatio,
      },
      delay('from an event to its place in usage', delays.counted),
      delay('from an event beyond a limit to the limit taking effect', delays.held),
      {
        figure: 'from an upgrade to the release of what was held',
        target: 'stated',
        measured: inSeconds(delays.released),
        pass: true,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
