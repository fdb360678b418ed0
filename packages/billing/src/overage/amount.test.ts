import { expect, test } from 'vitest'
import { defaultPlans, extraPrice, listedPlans } from '../catalogue.ts'
import { billedBlocks, blocksWithin, startedBlocks } from './amount.ts'
import { overageLine } from './bill.ts'
import { overageTerms } from './track.ts'

const terms = { included: 10_000, price: 100_00, currency: 'USD' }

test.each([
  [0, 0],
  [10_000, 0],
  [10_001, 1],
  [20_000, 1],
  [20_001, 2],
  [1_000_000_000, 99_999],
])('BIL-10: %i profiles beyond 10,000 are billed as %i started blocks of 10,000', (profiles, blocks) => {
  expect(startedBlocks(profiles, terms)).toBe(blocks)
  expect(startedBlocks(profiles, { included: -1 })).toBe(0)
})

test('a cap allows only whole blocks, in its own currency, and never bills more than was used', () => {
  const within = (amount: number, currency = 'USD') => blocksWithin({ amount, currency }, terms)
  expect([within(0), within(99_99), within(100_00), within(250_00)]).toEqual([0, 0, 1, 2])
  expect([within(250_00, 'EUR'), blocksWithin(undefined, terms)]).toEqual([undefined, undefined])
  expect([billedBlocks(5, 2), billedBlocks(1, 2), billedBlocks(5, undefined)]).toEqual([2, 1, 5])
})

test("extra profiles are billed if the plan has a limit, a price for them, and the subscription's currency", () => {
  const billing = { plans: defaultPlans, limits: true }
  const included = (plan: string, currency = 'USD', limits = true) =>
    overageTerms({ ...billing, limits }, { plan, currency }).included
  expect(['free', 'team', 'business', 'enterprise', 'unknown'].map((plan) => included(`plans/${plan}`))).toEqual([
    -1, 10_000, 50_000, -1, -1,
  ])
  expect([included('plans/team', 'EUR'), included('plans/team', 'USD', false)]).toEqual([-1, -1])
  const [team] = defaultPlans.plans.slice(1)
  expect(team === undefined ? 0 : extraPrice({}, team)).toBeUndefined()
})

test('a currency without decimals is billed in its own units', () => {
  const [free, team] = defaultPlans.plans
  if (free === undefined || team === undefined) throw new Error('no plans')
  const listed = listedPlans({ currency: 'JPY', extra_profiles: 15_000, plans: [free, team] })
  expect(listed.map(({ extra_profiles_amount }) => extra_profiles_amount)).toEqual([null, '15000', '15000'])
  const [from, to] = [new Date('2026-03-04T05:06:07Z'), new Date('2026-04-04T05:06:07Z')]
  expect(overageLine({ blocks: 3, price: 15_000, start: from, end: to })).toEqual({
    description: 'Additional profiles, Mar 4, 2026 to Apr 4, 2026: 3 × 10,000',
    amount: 45_000,
  })
})
