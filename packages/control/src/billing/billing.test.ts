import { methods } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultPlans, listedPlans, readPlanCatalogue } from '../../../billing/src/catalogue.ts'
import { createSandbox } from '../../../billing/src/sandbox/sandbox.ts'
import { changeSubscription, finishOpen } from '../../../billing/src/subscription.ts'
import { addCard, confirmingCard, trialCard } from '../testing/billing-requests.ts'
import {
  type Caller,
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
  startTime,
} from '../testing/control-harness.ts'

const day = 86_400_000
const { signal } = new AbortController()
let harness: Harness
/** How far the clock is ahead of the start, ms. */
let ahead = 0
const clock = () => startTime + ahead
const billing = {
  plans: defaultPlans,
  payment: 'sandbox',
  limits: true,
  unpaidDays: 14,
  graceHours: 72,
  eventsDays: 0,
} as const
beforeAll(async () => {
  harness = await startControl({ billing, clock })
})
afterAll(() => harness[Symbol.asyncDispose]())

const paying = async (number?: string): Promise<Organization & { params: { organization: string } }> => {
  ahead = 0
  const made = await startOrganization(harness)
  // Sessions must last as long as the tested periods.
  await harness.db.updateTable('sessions').set({ expire_time: '2090-01-01', last_used_time: '2026-12-31' }).execute()
  await addCard(made.administrator, made.organizationId, number)
  return { ...made, params: { organization: made.organizationId } }
}
const buy = (caller: Caller, organization: string, plan: string, recurring_interval = 'MONTHLY') =>
  caller.call('PATCH', `/${organization}/subscription`, { plan, recurring_interval })
const rowsOf = async (organizationId: string) => {
  const customer = await harness.db
    .selectFrom('sandbox_customers')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const of = (table: 'sandbox_subscriptions' | 'sandbox_invoices') =>
    harness.db.selectFrom(table).selectAll().where('customer', '=', customer.id).execute()
  return { subscriptions: await of('sandbox_subscriptions'), invoices: await of('sandbox_invoices') }
}

test('API-38, BIL-13, BIL-14: GET of the plans returns each plan with its price and features', async () => {
  const { guest } = await startOrganization(harness)
  const { status, body } = await guest.call('GET', '/plans')
  expect(status).toBe(200)
  const plans = body.plans as { name: string; amount: string; interval: string }[]
  expect(plans.map(({ name, amount, interval }) => `${name} ${amount} ${interval}`)).toEqual([
    'plans/free 0.00 MONTHLY',
    'plans/team 120.00 MONTHLY',
    'plans/team 1200.00 ANNUALLY',
    'plans/business 600.00 MONTHLY',
    'plans/business 6000.00 ANNUALLY',
    'plans/enterprise custom MONTHLY',
  ])
  expect(plans[0]).toEqual({
    name: 'plans/free',
    title: 'Free',
    description: expect.any(String),
    amount: '0.00',
    currency: 'USD',
    interval: 'MONTHLY',
    extra_profiles_amount: null,
    features: {
      profiles: 10_000,
      events: expect.any(Number),
      sources: 2,
      destinations: 2,
      audiences: 1,
      syncs: 2,
      workspaces: 2,
      members: 5,
      white_glove_onboarding: false,
      customer_success_manager: false,
    },
  })
})

test.each([
  ['{', 'is not JSON'],
  [JSON.stringify({ ...defaultPlans, plans: [] }), 'plans'],
  [JSON.stringify({ ...defaultPlans, currency: 'dollars' }), 'currency'],
  [JSON.stringify({ ...defaultPlans, plans: [defaultPlans.plans[0], defaultPlans.plans[0]] }), 'names must differ'],
])('an invalid catalogue of plans is refused with the problem', (text, what) => {
  expect(() => readPlanCatalogue(text)).toThrow(what)
})

test('a catalogue of plans from a file replaces the default one, with its own currency', () => {
  const plans = [
    { name: 'plans/only', title: 'Only', description: '', monthly: 1050, features: defaultPlans.plans[0]?.features },
  ]
  expect(listedPlans(readPlanCatalogue(JSON.stringify({ currency: 'JPY', plans })))).toMatchObject([
    { name: 'plans/only', amount: '1050', currency: 'JPY' },
  ])
})

describe('the sandbox', () => {
  test('API-35, API-36, BIL-34: a test card is set up with a secret and listed without its number', async () => {
    const { administrator, organization } = await startOrganization(harness)
    const setup = await administrator.call('POST', `/${organization}:billingSetupIntent`, {})
    expect(setup).toMatchObject({ status: 200, body: { client_secret: expect.stringMatching(/^sandbox_/) } })
    const card = { ...trialCard, client_secret: setup.body.client_secret }
    const confirm = () => administrator.call('POST', `/${organization}:confirmSandboxCard`, card)
    expect(await confirm()).toMatchObject({ status: 200 })
    // A second card cannot be added with the same secret.
    expect(await confirm()).toMatchObject({ status: 400, body: { reason: 'SETUP_OVER' } })
    const listed = await administrator.call('GET', `/${organization}/paymentMethods`)
    expect(listed.body).toEqual({
      payment_methods: [
        { name: expect.any(String), brand: 'Visa', last4: '4242', exp_month: 12, exp_year: 2090, default: true },
      ],
      as_of_time: null,
    })
    const kept = await harness.database.pool.query(
      'select (select json_agg(m) from sandbox_payment_methods m)::text || (select json_agg(a) from audit_log a)::text as all',
    )
    expect(kept.rows[0]?.all).not.toContain('4242424242424242')
    expect(kept.rows[0]?.all).not.toContain('4242 4242')
  })

  test.each([
    ['4111111111111111', 400, 'VALIDATION'],
    ['abc', 400, 'VALIDATION'],
    ['4000000000000002', 402, 'CARD_DECLINED'],
  ])('the sandbox refuses the card number %s and stores nothing of it', async (number, status, reason) => {
    const { administrator, organization } = await startOrganization(harness)
    const { body } = await administrator.call('POST', `/${organization}:billingSetupIntent`, {})
    const card = { ...trialCard, number, client_secret: body.client_secret }
    expect(await administrator.call('POST', `/${organization}:confirmSandboxCard`, card)).toMatchObject({
      status,
      body: { reason },
    })
    expect((await administrator.call('GET', `/${organization}/paymentMethods`)).body).toEqual({
      payment_methods: [],
      as_of_time: null,
    })
  })

  test("the sandbox rejects another organization's secret and payment methods", async () => {
    const [one, other] = [await paying(), await startOrganization(harness)]
    const { body } = await one.administrator.call('POST', `/${one.organization}:billingSetupIntent`, {})
    const card = { ...trialCard, client_secret: body.client_secret }
    expect(await other.administrator.call('POST', `/${other.organization}:confirmSandboxCard`, card)).toMatchObject({
      status: 400,
    })
    const listed = await one.administrator.ok(methods.paymentMethods.list, one.params)
    const id = idIn(listed.payment_methods[0]?.name ?? '')
    const path = `/${other.organization}/paymentMethods/${id}`
    expect((await other.administrator.call('DELETE', path)).status).toBe(404)
    expect((await other.administrator.call('POST', `${path}:setDefault`, {})).status).toBe(404)
  })
})

describe('changing the plan', () => {
  test('API-37: PATCH of the subscription buys the plan, which applies immediately, with an invoice', async () => {
    const { administrator, guest, organization, params } = await paying()
    expect(await buy(administrator, organization, 'plans/team')).toMatchObject({
      status: 200,
      body: {
        name: `${organization}/subscription`,
        plan: 'plans/team',
        recurring_interval: 'MONTHLY',
        amount: '120.00',
        period_end_time: '2026-04-04T05:06:07.890Z',
        next: null,
      },
    })
    expect((await guest.call('GET', `/${organization}`)).body).toMatchObject({
      subscription: { name: `${organization}/subscription`, extra: { plan_name: 'plans/team' } },
    })
    const { invoices } = await administrator.ok(methods.invoices.list, params)
    expect(invoices).toMatchObject([{ status: 'paid', total: '120.00', currency: 'USD' }])
    // The invoice opens without a session, but only by its complete address.
    const path = invoices[0]?.invoice_url ?? ''
    expect(await harness.call('', 'GET', path)).toMatchObject({ status: 200, body: { total: '120.00' } })
    expect((await harness.call('', 'GET', path.slice(0, -1))).status).toBe(404)
  })

  test('changing the plan needs a payment method, and a plan that has a price', async () => {
    const { administrator, organization } = await startOrganization(harness)
    expect(await buy(administrator, organization, 'plans/team')).toMatchObject({
      status: 400,
      body: { message: 'Please setup a payment method first' },
    })
    expect(await buy(administrator, organization, 'plans/enterprise')).toMatchObject({ status: 400 })
    expect(await buy(administrator, organization, 'plans/unknown')).toMatchObject({ status: 400 })
  })

  test('changing the plan with a declined card changes nothing', async () => {
    const { administrator, organization, organizationId } = await paying('4000000000000341')
    expect(await buy(administrator, organization, 'plans/team')).toMatchObject({
      status: 402,
      body: { reason: 'CARD_DECLINED' },
    })
    expect(await rowsOf(organizationId)).toEqual({ subscriptions: [], invoices: [] })
    expect((await administrator.call('GET', `/${organization}`)).body).toMatchObject({
      subscription: { extra: { plan_name: 'plans/free' } },
    })
  })

  test('two people who change the plan at once get one subscription and one invoice', async () => {
    const { administrator, platformAdmin, organization, organizationId } = await paying()
    const replies = await Promise.all(
      [administrator, platformAdmin, administrator, platformAdmin].map((who) => buy(who, organization, 'plans/team')),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { subscriptions, invoices } = await rowsOf(organizationId)
    expect([subscriptions.length, invoices.length]).toEqual([1, 1])
  })

  test.each(['before the provider is asked', 'between its call and its answer'])(
    'a plan change that is interrupted %s leads to one subscription when it is repeated',
    async (when) => {
      const { administrator, organization, organizationId } = await paying()
      const sandbox = createSandbox({ db: harness.db, clock })
      const cutOff = {
        ...sandbox,
        changeSubscription: async (...given: Parameters<typeof sandbox.changeSubscription>) => {
          if (when.startsWith('between')) await sandbox.changeSubscription(...given)
          throw new Error('killed')
        },
      }
      const price = { plan: 'plans/team', title: 'Team', interval: 'MONTHLY', amount: 12_000, currency: 'USD' } as const
      const by = { organizationId, userId: administrator.userId, action: 'subscriptions.update' }
      await expect(
        changeSubscription({ db: harness.db, clock, billing, payment: cutOff }, by, async () => ({
          kind: 'change',
          price,
          when: 'now',
        })),
      ).rejects.toThrow('killed')
      expect((await buy(administrator, organization, 'plans/team')).status).toBe(200)
      await finishOpen({ db: harness.db, clock, billing, payment: sandbox }, organizationId)
      const { subscriptions, invoices } = await rowsOf(organizationId)
      expect([subscriptions.length, invoices.length]).toEqual([1, 1])
      expect((await administrator.call('GET', `/${organization}`)).body).toMatchObject({
        subscription: { extra: { plan_name: 'plans/team' } },
      })
    },
  )

  test('an upgrade applies immediately and is prorated; the lines of each invoice add up', async () => {
    const { administrator, organization, organizationId } = await paying()
    await buy(administrator, organization, 'plans/team')
    // Half of a period of 31 days has passed.
    ahead = 15.5 * day
    expect(await buy(administrator, organization, 'plans/business')).toMatchObject({ body: { amount: '600.00' } })
    expect(await buy(administrator, organization, 'plans/business', 'ANNUALLY')).toMatchObject({
      body: { amount: '6000.00', period_end_time: '2027-03-19T17:06:07.890Z' },
    })
    const { invoices } = await rowsOf(organizationId)
    expect(invoices.map(({ total }) => Number(total)).toSorted((a, b) => a - b)).toEqual([12_000, 24_000, 570_000])
    for (const { lines, total } of invoices)
      expect(JSON.parse(lines).reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(
        Number(total),
      )
  })

  test('a downgrade or cancellation applies at the end of the period, and can be undone', async () => {
    const { administrator, organization, organizationId, params } = await paying()
    await buy(administrator, organization, 'plans/business')
    expect(await buy(administrator, organization, 'plans/team')).toMatchObject({
      body: { plan: 'plans/business', next: { plan: 'plans/team', recurring_interval: 'MONTHLY' } },
    })
    expect(await administrator.ok(methods.subscriptions.resume, params, { body: {} })).toMatchObject({ next: null })
    expect(await administrator.ok(methods.subscriptions.cancel, params, { body: {} })).toMatchObject({
      next: { plan: 'plans/free' },
    })
    expect(await administrator.ok(methods.subscriptions.resume, params, { body: {} })).toMatchObject({ next: null })
    await buy(administrator, organization, 'plans/team')
    ahead = 31 * day
    await harness.settleSubscriptions({ signal })
    expect((await administrator.call('GET', `/${organization}`)).body).toMatchObject({
      subscription: { extra: { plan_name: 'plans/team' } },
    })
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({
      amount: '120.00',
      period_end_time: '2026-05-04T05:06:07.890Z',
    })
    expect((await buy(administrator, organization, 'plans/free')).body).toMatchObject({ next: { plan: 'plans/free' } })
    ahead = 62 * day
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({
      plan: 'plans/free',
      period_end_time: null,
    })
    expect((await rowsOf(organizationId)).invoices).toHaveLength(2)
  })

  test('after a declined renewal, the subscription is past due until another card pays', async () => {
    const { administrator, organization, organizationId, params } = await paying()
    await buy(administrator, organization, 'plans/team')
    const bad = await addCard(administrator, organizationId, '4000000000000341')
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: bad }, { body: {} })
    ahead = 31 * day
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'past_due' })
    await administrator.ok(methods.paymentMethods.delete, { ...params, payment_method: bad })
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'active' })
    const { invoices } = await administrator.ok(methods.invoices.list, params)
    expect(invoices.map(({ status }) => status)).toEqual(['paid', 'paid'])
    // The last card cannot be removed while a subscription renews.
    const { payment_methods } = await administrator.ok(methods.paymentMethods.list, params)
    expect(await administrator.call('DELETE', `/${payment_methods[0]?.name}`)).toMatchObject({
      status: 400,
      body: { reason: 'PAYMENT_METHOD_IN_USE' },
    })
  })

  test('if the bank asks to confirm, the subscription starts only after the confirmation', async () => {
    const { administrator, organization, organizationId, params } = await paying(confirmingCard)
    const confirm = (client_secret: unknown) =>
      administrator.call('POST', `/${organization}:confirmSandboxPayment`, { client_secret })
    const asked = async (plan: string) => {
      const { status, body } = await buy(administrator, organization, plan)
      expect([status, body.reason]).toEqual([402, 'PAYMENT_CONFIRMATION'])
      return (body.metadata as { client_secret: string }).client_secret
    }
    const left = await asked('plans/business')
    expect(await rowsOf(organizationId)).toEqual({ subscriptions: [], invoices: [] })
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ plan: 'plans/free' })
    const secret = await asked('plans/team')
    // An abandoned confirmation can no longer start anything, and one payment starts one subscription.
    expect(await confirm(left)).toMatchObject({ status: 400, body: { reason: 'CONFIRMATION_OVER' } })
    expect((await confirm(secret)).status).toBe(200)
    expect((await confirm(secret)).status).toBe(400)
    const { subscriptions, invoices } = await rowsOf(organizationId)
    expect([subscriptions.length, invoices.map(({ status, total }) => `${status} ${total}`)]).toEqual([
      1,
      ['paid 12000'],
    ])
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ plan: 'plans/team' })
    const { changes } = await administrator.ok(methods.subscriptions.listChanges, params)
    expect(changes.map(({ plan, outcome }) => `${plan} ${outcome}`)).toEqual([
      'plans/team done',
      'plans/business unconfirmed',
    ])
    // A payment without its confirmation stays open, until an administrator pays it.
    ahead = 31 * day
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'past_due' })
    const [open] = (await administrator.ok(methods.invoices.list, params)).invoices
    const paid = await administrator.call('POST', `/${open?.name}:pay`, {})
    expect(paid).toMatchObject({ status: 402, body: { reason: 'PAYMENT_CONFIRMATION' } })
    expect((await confirm((paid.body.metadata as { client_secret: string }).client_secret)).status).toBe(200)
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'active' })
    expect((await rowsOf(organizationId)).invoices.map(({ status }) => status)).toEqual(['paid', 'paid'])
  })

  test('if the bank asks to confirm an upgrade, it takes effect as shown, and only after the confirmation', async () => {
    const { administrator, organization, organizationId, params } = await paying()
    const other = await paying()
    await buy(administrator, organization, 'plans/team')
    const card = await addCard(administrator, organizationId, confirmingCard)
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: card }, { body: {} })
    ahead = 10 * day
    const confirm = (client_secret: unknown, by = { administrator, organization }) =>
      by.administrator.call('POST', `/${by.organization}:confirmSandboxPayment`, { client_secret })
    const asked = async (plan: string) => {
      const { status, body } = await buy(administrator, organization, plan)
      expect([status, body.reason]).toEqual([402, 'PAYMENT_CONFIRMATION'])
      return (body.metadata as { client_secret: string }).client_secret
    }
    const state = async () => {
      const { plan, next } = await administrator.ok(methods.subscriptions.get, params)
      return `${plan} ${next?.plan ?? '-'} ${(await rowsOf(organizationId)).invoices.length}`
    }
    const left = await asked('plans/business')
    expect(await state()).toBe('plans/team - 1')
    // Only the payer's secret confirms it, and it does not undo a change that was made meanwhile.
    expect((await confirm(left, other)).status).toBe(400)
    await administrator.ok(methods.subscriptions.cancel, params, { body: {} })
    expect(await confirm(left)).toMatchObject({ status: 400, body: { reason: 'CONFIRMATION_OVER' } })
    expect(await state()).toBe('plans/team plans/free 1')
    const shown = await administrator.ok(methods.subscriptions.preview, params, {
      body: { plan: 'plans/business', recurring_interval: 'MONTHLY' },
    })
    const secret = await asked('plans/business')
    ahead += 3_600_000
    expect((await confirm(secret)).status).toBe(200)
    expect((await confirm(secret)).status).toBe(400)
    expect(await state()).toBe('plans/business - 2')
    expect((await administrator.ok(methods.invoices.list, params)).invoices[0]?.total).toBe(shown.total)
    const { changes } = await administrator.ok(methods.subscriptions.listChanges, params)
    expect(changes.map(({ change, plan, outcome }) => `${change} ${plan} ${outcome}`)).toEqual([
      'change plans/business done',
      'cancel null done',
      'change plans/business unconfirmed',
      'change plans/team done',
    ])
    // Another price is scheduled for the end of the period, so the current plan must be kept before the upgrade.
    await buy(administrator, organization, 'plans/team')
    const yearly = { plan: 'plans/business', recurring_interval: 'ANNUALLY' }
    expect(await administrator.call('PATCH', `/${organization}/subscription`, yearly)).toMatchObject({
      status: 402,
      body: { reason: 'CARD_DECLINED', message: expect.stringContaining('Keep your plan first') },
    })
    expect(await state()).toBe('plans/business plans/team 2')
  })

  test('a card that needs confirmation is added after the confirmation, and not without it', async () => {
    ahead = 0
    const { administrator, organization, organizationId } = await startOrganization(harness)
    const { body } = await administrator.call('POST', `/${organization}:billingSetupIntent`, {})
    const card = { ...trialCard, number: '4000002500003155', client_secret: body.client_secret }
    const add = (given: object) =>
      administrator.call('POST', `/${organization}:confirmSandboxCard`, { ...card, ...given })
    expect(await add({})).toMatchObject({ status: 402, body: { reason: 'PAYMENT_CONFIRMATION' } })
    expect(
      await harness.db.selectFrom('sandbox_payment_methods').select('id').where('last4', '=', '3155').execute(),
    ).toEqual([])
    expect((await add({ confirmed: true })).status).toBe(200)
    // The card can pay only now, and needs no further confirmation.
    expect((await buy(administrator, organization, 'plans/team')).status).toBe(200)
    expect((await rowsOf(organizationId)).invoices).toMatchObject([{ status: 'paid' }])
  })

  test('a listed open invoice can be paid once, by its own organization, and stays open if the payment is declined', async () => {
    const other = await paying()
    const { administrator, organization, organizationId, params } = await paying()
    await buy(administrator, organization, 'plans/team')
    const bad = await addCard(administrator, organizationId, '4000000000000341')
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: bad }, { body: {} })
    ahead = 31 * day
    await administrator.ok(methods.subscriptions.get, params)
    const [open] = (await administrator.ok(methods.invoices.list, params)).invoices
    const path = `/${open?.name}:pay`
    expect(await administrator.call('POST', path, {})).toMatchObject({ status: 402, body: { reason: 'CARD_DECLINED' } })
    const status = async () => (await administrator.ok(methods.invoices.list, params)).invoices[0]?.status
    expect(await status()).toBe('open')
    const elsewhere = path.replace(organizationId, other.organizationId)
    expect((await other.administrator.call('POST', elsewhere, {})).status).toBe(404)
    // The bank accepts charges of the same card again.
    await harness.db.updateTable('sandbox_payment_methods').set({ declines: false }).where('id', '=', bad).execute()
    expect((await administrator.call('POST', path, {})).status).toBe(200)
    expect((await administrator.call('POST', path, {})).status).toBe(200)
    expect(await status()).toBe('paid')
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'active' })
  })

  test('without a payment provider, plan changes are refused and the organization has the first plan', async () => {
    await using none = await startControl({
      billing: { plans: defaultPlans, payment: 'none', limits: false, unpaidDays: 14, graceHours: 72, eventsDays: 0 },
    })
    const { administrator, organization } = await startOrganization(none)
    expect(await buy(administrator, organization, 'plans/team')).toMatchObject({
      status: 409,
      body: { reason: 'PAYMENT_NOT_CONFIGURED' },
    })
    expect((await administrator.call('GET', `/${organization}/subscription`)).body).toMatchObject({
      plan: 'plans/free',
      payment: 'none',
    })
  })
})
