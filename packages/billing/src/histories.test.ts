import { createEgressPolicy, createRequestClient } from '@tributary/connector-kit'
import { AppError, newId, silentLogger } from '@tributary/kernel'
import { createTestDatabase, type StripePeer, startStripePeer, stripePeerKeys } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultPlans, priceOf } from './catalogue.ts'
import { changeTo } from './change-plan.ts'
import { billOverage, closeAfterMs, type OverageDeps } from './overage/bill.ts'
import { keepFirstText, type PaymentProvider, type ProviderSubscription } from './provider.ts'
import { createSandbox, type Sandbox } from './sandbox/sandbox.ts'
import { createStripe, type Stripe } from './stripe/stripe.ts'
import { type BillingDeps, changeSubscription, finishOpen, readSubscription } from './subscription.ts'

const start = Date.parse('2026-01-31T10:00:00Z') / 1000
const day = 86_400
let peer: StripePeer
let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: ReturnType<typeof createRequestClient>
beforeAll(async () => {
  peer = await startStripePeer({ now: start })
  database = await createTestDatabase()
  client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
})
afterAll(async () => {
  await client.close()
  await database[Symbol.asyncDispose]()
  await peer[Symbol.asyncDispose]()
})

/** A generator of pseudo-random numbers that depends only on the seed (mulberry32). */
const numbersOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** The outcome of a change that the bank asks to confirm. */
type Asked = 'confirmed' | 'left' | undefined
type Step =
  | { does: 'change'; plan: string; interval: 'MONTHLY' | 'ANNUALLY'; bank: Asked }
  | { does: 'cancel' | 'resume' | 'read' }
  | { does: 'wait'; days: number }
/** When the process is killed: before the call of a change, after it, or after its response is stored. */
type Kill = 'before' | 'after' | 'learned' | undefined

const plans = ['plans/free', 'plans/team', 'plans/business']
const historyOf = (seed: number): { step: Step; kill: Kill }[] => {
  const below = numbersOf(seed)
  return Array.from({ length: 3 + below(4) }, () => {
    const kind = below(10)
    const step: Step =
      kind < 5
        ? {
            does: 'change',
            plan: plans[below(3)] ?? '',
            interval: below(2) === 0 ? 'MONTHLY' : 'ANNUALLY',
            bank: ([undefined, undefined, 'confirmed', 'left'] as const)[below(4)],
          }
        : kind < 8
          ? // Long enough that months are renewed while the subscription is not read.
            { does: 'wait', days: 1 + below(below(3) === 0 ? 130 : 40) }
          : { does: (['cancel', 'resume'] as const)[below(2)] ?? 'read' }
    return { step, kill: ([undefined, undefined, 'before', 'after', 'learned'] as const)[below(5)] }
  })
}

class Killed extends Error {}

/** Wraps a provider, and kills its process once, at a point of its next change. */
const killedAt = <P extends Sandbox | Stripe>(payment: P, kill: Kill): P => {
  if (kill === undefined) return payment
  const changeSubscription: PaymentProvider['changeSubscription'] = async (...given) => {
    if (kill === 'before') throw new Killed()
    await payment.changeSubscription(...given)
    throw new Killed()
  }
  return { ...payment, changeSubscription }
}

/** Sets whether the bank of an organization's card asks to confirm charges. */
const askAtBank = async (payment: Sandbox | Stripe, organizationId: string, confirms: boolean): Promise<void> => {
  const customer = await payment.customerOf(organizationId)
  for (const card of peer.state.cards.values()) if (card.customer === customer) card.confirms = confirms
  await database.db.updateTable('sandbox_payment_methods').set({ confirms }).where('customer', '=', customer).execute()
}
const secretIn = (cause: unknown): string | undefined =>
  cause instanceof AppError && cause.reason === 'PAYMENT_CONFIRMATION'
    ? String(cause.metadata?.client_secret)
    : undefined
const isKeepFirst = (cause: unknown): boolean => cause instanceof AppError && cause.message.startsWith(keepFirstText)

const run = async (deps: BillingDeps, organizationId: string, step: Step, kill: Kill): Promise<void> => {
  const { payment } = deps
  if (payment === undefined || step.does === 'wait') return
  const by = { organizationId, userId: null, action: 'subscriptions.update' }
  const price = step.does === 'change' ? priceOf(defaultPlans, step.plan, step.interval) : undefined
  const free =
    step.does === 'change' && step.plan === 'plans/free' ? priceOf(defaultPlans, step.plan, 'MONTHLY') : undefined
  const wanted = price ?? free
  const decide = async (held: ProviderSubscription | undefined) => {
    if (step.does === 'cancel')
      return held === undefined || held.next === null ? undefined : ({ kind: 'cancel' } as const)
    if (step.does === 'resume') return held?.next === undefined ? undefined : ({ kind: 'resume' } as const)
    return wanted === undefined ? undefined : changeTo(deps, held, wanted)
  }
  // The connection is cut during the calls that make a change at Stripe. Otherwise the whole call is lost.
  const cutAt = kill === 'learned' || payment.kind === 'sandbox' ? undefined : kill
  let cuts = 0
  peer.cut = ({ method, path }) =>
    method === 'POST' && path.startsWith('subscription') && cuts++ === 0 ? cutAt : undefined
  const bank = step.does === 'change' ? step.bank : undefined
  if (bank !== undefined) await askAtBank(payment, organizationId, true)
  let secret: string | undefined
  try {
    await changeSubscription({ ...deps, payment: cutAt === undefined ? killedAt(payment, kill) : payment }, by, decide)
  } catch (cause) {
    secret = secretIn(cause)
    if (kill === undefined && secret === undefined && !isKeepFirst(cause)) throw cause
  } finally {
    peer.cut = () => undefined
  }
  // The user who made the call no longer waits for it.
  if (kill !== undefined) await finishOpen(deps, organizationId)
  if (bank === 'confirmed' && secret !== undefined && kill === undefined) {
    if (payment.kind === 'stripe') peer.state.confirmPayment(secret)
    else await payment.confirmPayment(await payment.customerOf(organizationId), secret)
    await readSubscription(deps, organizationId)
  }
  if (bank !== undefined) await askAtBank(payment, organizationId, false)
}

const shown = (held: ProviderSubscription | undefined) =>
  held === undefined
    ? undefined
    : {
        plan: held.price.plan,
        interval: held.price.interval,
        amount: held.price.amount,
        status: held.status,
        next:
          held.next === null ? null : held.next === undefined ? undefined : `${held.next.plan} ${held.next.interval}`,
        end: held.periodEnd.toISOString(),
      }

/** The number of profiles used in a period, up to nine blocks beyond the plan. All providers get the same number. */
const profilesIn = (seed: number, begin: Date): number => numbersOf(seed ^ (begin.getTime() / 1000))(100_000)

/**
 * Bills what is due, and kills the process once: before the invoice is requested, during the call, after it, or after
 * its response is stored.
 */
const bill = async (deps: OverageDeps, organizationId: string, kill: Kill, at: number): Promise<void> => {
  const { payment } = deps
  if (payment === undefined) return
  const createInvoice: PaymentProvider['createInvoice'] = async (...given) => {
    if (kill === 'before') throw new Killed()
    const made = await payment.createInvoice(...given)
    if (kill !== undefined) throw new Killed()
    return made
  }
  const cutAt = kill === 'learned' || payment.kind === 'sandbox' ? undefined : kill
  let calls = 0
  peer.cut = ({ method, path }) =>
    method === 'POST' && path.startsWith('invoice') && calls++ === at ? cutAt : undefined
  try {
    await readSubscription(deps, organizationId)
    await billOverage(cutAt === undefined ? { ...deps, payment: { ...payment, createInvoice } } : deps, organizationId)
  } catch (cause) {
    if (kill === undefined) throw cause
  } finally {
    peer.cut = () => undefined
  }
}

type Billed = { description: string; total: number; status: string }
const begins = 'Additional profiles'
const billedOf = async (kind: Sandbox['kind'] | Stripe['kind'], customer: string): Promise<Billed[]> => {
  const all =
    kind === 'stripe'
      ? [...peer.state.invoices.values()]
          .filter((each) => each.customer === customer)
          .map(({ lines, status }) => ({ lines, status, total: undefined }))
      : (await database.db.selectFrom('sandbox_invoices').selectAll().where('customer', '=', customer).execute()).map(
          ({ lines, status, total }) => ({
            lines: JSON.parse(lines) as { description: string; amount: number }[],
            status,
            total: Number(total),
          }),
        )
  return all
    .flatMap(({ lines, status, total }) => {
      const sum = lines.reduce((before, { amount }) => before + amount, 0)
      // The lines add up to the total.
      expect(total ?? sum).toBe(sum)
      const [line] = lines
      return line?.description.startsWith(begins) ? [{ description: line.description, total: sum, status }] : []
    })
    .toSorted((one, other) => one.description.localeCompare(other.description))
}

/**
 * Checks that each ended period is billed once, by its count, its included profiles, and the cap, and that none is
 * missing.
 */
const checkPeriods = async (organizationId: string, billed: Billed[], { seed, cap }: { seed: number; cap: number }) => {
  const rows = await database.db
    .selectFrom('usage_periods')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('start_time')
    .execute()
  const over = rows.filter(({ end_time }) => end_time.getTime() <= peer.state.now * 1000 - closeAfterMs)
  expect(over.every(({ done_time }) => done_time !== null)).toBe(true)
  const amounts = over.map(({ start_time, included }) => {
    const beyond = Math.max(0, profilesIn(seed, start_time) - Number(included))
    return Math.min(cap, Math.ceil(beyond / 10_000)) * 100_00
  })
  const charged = billed.map(({ total }) => total)
  expect(charged.toSorted((a, b) => a - b)).toEqual(amounts.filter((each) => each > 0).toSorted((a, b) => a - b))
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1]
    expect(row.start_time < row.end_time).toBe(true)
    expect(row.end_time.getTime() - row.start_time.getTime()).toBeLessThanOrEqual(38 * day * 1000)
    if (next !== undefined && next.subscription === row.subscription) expect(next.start_time).toEqual(row.end_time)
    else if (next !== undefined) expect(next.start_time >= row.end_time).toBe(true)
  }
}

const mirrorOf = async (organizationId: string) => {
  const row = await database.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row === undefined ? undefined : { plan: row.plan, interval: row.recurring_interval, status: row.status }
}

const newOrganization = async (): Promise<string> => {
  const id = newId()
  await database.db
    .insertInto('organizations')
    .values({ id, title: 'Paying', create_time: new Date(start * 1000) })
    .execute()
  return id
}

/**
 * The number of groups of histories. In the long run (`npm run soak`) there are 200 histories. Each is short; most of its
 * time goes to database queries.
 */
const groups = Number(process.env.SOAK_ROUNDS ?? 0) > 0 ? 10 : 2

test.each(Array.from({ length: groups }, (_, group) => group))(
  '20 random histories (group %i) end with the same state and bills in this database, in the sandbox, and at Stripe, wherever the process is killed',
  async (group) => {
    for (let seed = group * 20; seed < group * 20 + 20; seed++) {
      peer.state.subscriptions.clear()
      peer.state.now = start
      const capped = seed % 3 === 0
      const deps = {
        db: database.db,
        clock: () => peer.state.now * 1000,
        billing: {
          plans: defaultPlans,
          payment: 'stripe',
          limits: true,
          unpaidDays: 14,
          graceHours: 72,
          eventsDays: 0,
        } as const,
      }
      const both = await Promise.all(
        [
          createSandbox(deps),
          createStripe({ ...deps, requestClient: client }, { ...stripePeerKeys, apiUrl: peer.url }),
        ].map(async (payment) => {
          const organizationId = await newOrganization()
          const customer = await payment.customerOf(organizationId)
          const { clientSecret } = await payment.createSetupIntent(customer)
          if (payment.kind === 'stripe') peer.confirmSetup(clientSecret)
          else {
            const card = { number: '4242424242424242', expMonth: 12, expYear: 2090 }
            await payment.confirmSetupIntent(customer, clientSecret, card)
          }
          await payment.listPaymentMethods(customer)
          const countProfiles: OverageDeps['countProfiles'] = async (_, { start: begin }) => profilesIn(seed, begin)
          if (capped)
            await database.db
              .insertInto('overage_caps')
              .values({ organization_id: organizationId, amount: 350_00, currency: 'USD' })
              .execute()
          return { organizationId, customer, deps: { ...deps, payment, countProfiles } }
        }),
      )
      for (const { step, kill } of historyOf(seed)) {
        if (step.does === 'wait') peer.state.advance(peer.state.now + step.days * day)
        for (const { deps: own, organizationId } of both) {
          await run(own, organizationId, step, kill)
          if (step.does === 'wait') await bill(own, organizationId, kill, seed % 4)
        }
      }
      peer.state.advance(peer.state.now + day)
      for (const { deps: own, organizationId } of both) await bill(own, organizationId, undefined, 0)
      const [sandbox, stripe] = await Promise.all(
        both.map(async ({ deps: own, organizationId, customer }) => {
          const here = await readSubscription(own, organizationId)
          const there = await own.payment.getSubscription(customer)
          expect(shown(here), `history ${seed}`).toEqual(shown(there))
          const mirror = await mirrorOf(organizationId)
          expect(mirror?.plan, `history ${seed}`).toBe(there?.price.plan)
          const billed = await billedOf(own.payment.kind, customer)
          await checkPeriods(organizationId, billed, { seed, cap: capped ? 3 : Number.POSITIVE_INFINITY })
          return { subscription: shown(there), billed }
        }),
      )
      expect(stripe, `history ${seed}`).toEqual(sandbox)
      const live = [...peer.state.subscriptions.values()].filter(({ status }) => status !== 'canceled')
      expect(live.length, `history ${seed}`).toBeLessThan(2)
    }
  },
)
