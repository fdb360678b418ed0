import { describe, expect, test } from 'vitest'
import { amountText, billingCompany, billingFrequencies, currentPlan, minorUnits, planChoice } from '../index.ts'

const plan = (name: string, amount: string) => ({ name: `plans/${name}`, amount, currency: 'USD' })
const [free, team, pro] = [plan('free', '0.00'), plan('team', '120.00'), plan('pro', '600.00')]
const enterprise = plan('enterprise', 'custom')

test('BIL-05: billing frequencies are MONTHLY and ANNUALLY', () => {
  expect(billingFrequencies).toEqual(['MONTHLY', 'ANNUALLY'])
})

test('BIL-15, BIL-16: the current plan is the plan with the given name, otherwise the first plan', () => {
  const plans = [free, team, pro]
  expect(currentPlan(plans, 'plans/team')).toBe(team)
  expect(currentPlan(plans, 'plans/gone')).toBe(free)
  expect(currentPlan([], 'plans/team')).toBeUndefined()
})

describe('the button of a plan', () => {
  test.each([
    [free, free, 'Current Plan', 'nothing'],
    [team, free, 'Buy plan', 'change'],
    [pro, free, 'Buy plan', 'change'],
    [free, team, 'Downgrade', 'change'],
    [team, pro, 'Downgrade', 'change'],
    [pro, team, 'Buy plan', 'change'],
    // Changing to a plan with the same price counts as buying.
    [plan('other', '120.00'), team, 'Buy plan', 'change'],
    [pro, enterprise, 'Downgrade', 'change'],
    [enterprise, free, 'Contact Sales', 'contact-sales'],
    [plan('enterprise', '900.00'), free, 'Contact Sales', 'contact-sales'],
    [enterprise, enterprise, 'Current Plan', 'nothing'],
    [plan('special', 'custom'), free, 'Contact Sales', 'nothing'],
    [plan('special', ''), free, 'Contact Sales', 'nothing'],
  ] as const)(
    'the button of %j beside the current %j is %s and does %s (BIL-08, BIL-09, AMB-10, AMB-11)',
    (each, current, label, does) => {
      expect(planChoice(each, current)).toEqual({ label, does })
    },
  )
})

describe('amounts of money', () => {
  test.each([
    [0, 'USD', '0.00'],
    [5, 'USD', '0.05'],
    [1050, 'USD', '10.50'],
    [-12_345, 'EUR', '-123.45'],
    [1050, 'JPY', '1050'],
    [1050, 'KWD', '1.050'],
  ])('an amount of %i minor units of %s is written as %s and read back', (minor, currency, text) => {
    expect(amountText(minor, currency)).toBe(text)
    if (minor >= 0) expect(minorUnits(text, currency)).toBe(minor)
  })
  test.each([
    ['custom', 'USD'],
    ['', 'USD'],
    ['-1', 'USD'],
    ['1.005', 'USD'],
    ['1.5', 'JPY'],
    ['1,000', 'USD'],
    ['1e3', 'USD'],
  ])('%j is not a valid amount in %s', (text, currency) => {
    expect(minorUnits(text, currency)).toBeUndefined()
  })
})

describe('the billing company', () => {
  const company = {
    company: 'ab',
    email: 'a@b.example',
    line1: 'ab',
    city: 'ab',
    postal_code: 'ab',
    country: 'ab',
  }
  test('BIL-42: a billing company needs no tax ID, tax type, second address line, or state', () => {
    expect(billingCompany.parse(company)).toMatchObject({ tax_id: '', tax_type: '', line2: '', state: '' })
  })
  test.each([
    ['company', 'a'],
    ['email', 'abc'],
    ['line1', 'a'],
    ['city', 'a'],
    ['postal_code', ' a '],
    ['country', 'a'],
  ])('BIL-39, BIL-40, BIL-41: the field %s must not be %j', (field, value) => {
    const { error } = billingCompany.safeParse({ ...company, [field]: value })
    expect(error?.issues.map(({ path }) => path)).toEqual([[field]])
  })
})
