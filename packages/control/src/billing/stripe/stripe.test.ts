import { methods } from '@tributary/contract'
import { type StripePeer, startStripePeer, stripePeerKeys } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultPlans } from '../../../../billing/src/catalogue.ts'
import {
  type Harness,
  type Organization,
  startControl,
  startOrganization,
  startTime,
} from '../../testing/control-harness.ts'
import { completeBody, onboardBody } from '../../testing/sign-ins.ts'

const day = 86_400
const start = Math.floor(startTime / 1000)
const { signal } = new AbortController()
let harness: Harness
let peer: StripePeer
const clock = () => peer.state.now * 1000
beforeAll(async () => {
  peer = await startStripePeer({ now: start })
  harness = await startControl({
    clock,
    billing: {
      plans: defaultPlans,
      payment: 'stripe',
      limits: false,
      unpaidDays: 14,
      graceHours: 72,
      eventsDays: 0,
      stripe: { ...stripePeerKeys, apiUrl: peer.url },
    },
  })
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await peer[Symbol.asyncDispose]()
})
beforeEach(() => {
  // Removes the subscriptions of other tests, whose periods would not advance with the clock.
  peer.state.subscriptions.clear()
  peer.state.now = start
  peer.cut = () => undefined
  peer.failing = undefined
})

type Paying = Organization & { params: { organization: string } }
const startPaying = async (card: { declines?: boolean; confirms?: boolean } = {}): Promise<Paying> => {
  const made = await startOrganization(harness)
  await harness.db.updateTable('sessions').set({ expire_time: '2090-01-01', last_used_time: '2026-12-31' }).execute()
  const params = { organization: made.organizationId }
  await addCard({ ...made, params }, card)
  return { ...made, params }
}
const addCard = async (
  { administrator, params }: Paying,
  card: { declines?: boolean; confirms?: boolean; last4?: string } = {},
) => {
  const { client_secret } = await administrator.ok(methods.paymentMethods.setup, params, { body: {} })
  return peer.confirmSetup(client_secret, card)
}
const buy = ({ administrator, organization }: Organization, plan: string, more: object = {}) =>
  administrator.call('PATCH', `/${organization}/subscription`, { plan, recurring_interval: 'MONTHLY', ...more })
const customerOf = async ({ organizationId }: Organization): Promise<string> => {
  const rows = harness.db
    .selectFrom('stripe_customers')
    .select('customer')
    .where('organization_id', '=', organizationId)
  return (await rows.executeTakeFirstOrThrow()).customer
}
const heldOf = async (made: Organization) => {
  const customer = await customerOf(made)
  return [...peer.state.subscriptions.values()].filter((each) => each.customer === customer)
}
const mirrored = async ({ administrator, organization }: Organization) =>
  ((await administrator.call('GET', `/${organization}`)).body.subscription as { extra: { plan_name: string } }).extra
    .plan_name
const webhook = async (made: Organization, given: Parameters<StripePeer['webhook']>[1] = {}) =>
  harness.receivePaymentWebhook(
    peer.webhook({ id: 'sub_1', object: 'subscription', customer: await customerOf(made), status: 'canceled' }, given),
  )

describe('with Stripe', () => {
  test("a plan is bought with a card from Stripe's form, its invoice has a web address, and each change is requested with a key", async () => {
    const made = await startPaying()
    const { administrator, params } = made
    expect(await administrator.ok(methods.paymentMethods.list, params)).toMatchObject({
      payment_methods: [{ brand: 'Visa', last4: '4242', default: true }],
      as_of_time: null,
    })
    peer.calls.length = 0
    expect(await buy(made, 'plans/team')).toMatchObject({
      status: 200,
      body: { plan: 'plans/team', amount: '120.00', currency: 'USD', next: null, payment: 'stripe' },
    })
    const { id } = await harness.db
      .selectFrom('payment_operations')
      .select('id')
      .where('organization_id', '=', made.organizationId)
      .executeTakeFirstOrThrow()
    expect(peer.calls.filter(({ method, path }) => method === 'POST' && path === 'subscriptions')).toMatchObject([
      { key: id },
    ])
    expect(await administrator.ok(methods.invoices.list, params)).toMatchObject({
      invoices: [{ status: 'paid', total: '120.00', invoice_url: expect.stringMatching(/^http.*\/i\/in_/) }],
    })
    expect(await mirrored(made)).toBe('plans/team')
  })

  test('an upgrade charges exactly the shown amount; a downgrade or cancellation applies at the end of the period', async () => {
    const made = await startPaying()
    const { administrator, params } = made
    await buy(made, 'plans/team')
    peer.state.advance(peer.state.now + 10 * day)
    const shown = await administrator.ok(methods.subscriptions.preview, params, {
      body: { plan: 'plans/business', recurring_interval: 'MONTHLY' },
    })
    expect(shown).toMatchObject({ takes_effect: 'now', lines: [{}, {}], prorate_time: expect.any(String) })
    peer.state.advance(peer.state.now + 600)
    await buy(made, 'plans/business', { prorate_time: shown.prorate_time })
    const { invoices } = await administrator.ok(methods.invoices.list, params)
    expect(invoices[0]?.total).toBe(shown.total)
    const old = { prorate_time: new Date(clock() - 3_700_000).toISOString() }
    expect(await buy(made, 'plans/business', old)).toMatchObject({ status: 400 })
    expect(await buy(made, 'plans/team')).toMatchObject({
      body: { plan: 'plans/business', next: { plan: 'plans/team' } },
    })
    expect((await buy(made, 'plans/free')).body).toMatchObject({ next: { plan: 'plans/free' } })
    expect(await administrator.ok(methods.subscriptions.resume, params, { body: {} })).toMatchObject({ next: null })
    await buy(made, 'plans/team')
    peer.state.advance(peer.state.now + 31 * day)
    await harness.settleSubscriptions({ signal })
    expect(await mirrored(made)).toBe('plans/team')
    await administrator.ok(methods.subscriptions.cancel, params, { body: {} })
    peer.state.advance(peer.state.now + 31 * day)
    expect(await webhook(made)).toBe(200)
    expect(await mirrored(made)).toBe('plans/free')
    const { changes } = await administrator.ok(methods.subscriptions.listChanges, params)
    expect(changes.map(({ change, plan, outcome }) => `${change} ${plan} ${outcome}`)).toEqual([
      'cancel null done',
      'change plans/team done',
      'resume null done',
      'cancel null done',
      'change plans/team done',
      'change plans/business done',
      'change plans/team done',
    ])
  })

  test.each([{ declines: true }, { confirms: true }])(
    'an upgrade that is not charged keeps the plan and the scheduled change (%o)',
    async (card) => {
      const made = await startPaying()
      const { administrator, params } = made
      await buy(made, 'plans/team')
      await buy(made, 'plans/team', { recurring_interval: 'ANNUALLY' })
      await buy(made, 'plans/team')
      const bad = await addCard(made, card)
      await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: bad }, { body: {} })
      expect(await buy(made, 'plans/business')).toMatchObject({ status: 402, body: { reason: 'CARD_DECLINED' } })
      expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({
        plan: 'plans/team',
        recurring_interval: 'ANNUALLY',
        next: { plan: 'plans/team', recurring_interval: 'MONTHLY' },
      })
    },
  )

  test('a declined first charge creates no subscription; a card without its confirmation is not added', async () => {
    const made = await startPaying({ declines: true })
    expect(await buy(made, 'plans/team')).toMatchObject({ status: 402 })
    expect(await heldOf(made)).toEqual([])
    const other = await startOrganization(harness)
    const params = { organization: other.organizationId }
    // 3-D Secure was not completed: the setup intent is unchanged.
    await other.administrator.ok(methods.paymentMethods.setup, params, { body: {} })
    expect(await buy(other, 'plans/team')).toMatchObject({ status: 400, body: { reason: 'PAYMENT_METHOD_REQUIRED' } })
    expect((await other.administrator.ok(methods.paymentMethods.list, params)).payment_methods).toEqual([])
  })

  test('a first payment that needs confirmation creates a subscription only after the confirmation', async () => {
    const [made, other] = [await startPaying({ confirms: true }), await startPaying()]
    const { administrator, params } = made
    const asked = async (plan: string) => {
      const { status, body } = await buy(made, plan)
      expect([status, body.reason]).toEqual([402, 'PAYMENT_CONFIRMATION'])
      return (body.metadata as { client_secret: string }).client_secret
    }
    const left = await asked('plans/business')
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ plan: 'plans/free' })
    expect(await administrator.ok(methods.invoices.list, params)).toMatchObject({ invoices: [] })
    const secret = await asked('plans/team')
    expect(() => peer.state.confirmPayment(left)).toThrow('over')
    peer.state.confirmPayment(secret)
    expect(await webhook(made)).toBe(200)
    expect(await mirrored(made)).toBe('plans/team')
    expect((await heldOf(made)).filter(({ status }) => status === 'active')).toHaveLength(1)
    const { changes } = await administrator.ok(methods.subscriptions.listChanges, params)
    expect(changes.map(({ plan, outcome }) => `${plan} ${outcome}`)).toEqual([
      'plans/team done',
      'plans/business unconfirmed',
    ])
    const { audit_records } = await administrator.ok(methods.auditRecords.list, params)
    expect(audit_records.filter(({ action }) => action === 'subscriptions.update')).toHaveLength(1)
    // A renewal without its confirmation stays open, and is paid from the list of invoices.
    peer.state.advance(peer.state.now + 31 * day)
    const [open] = (await administrator.ok(methods.invoices.list, params)).invoices
    expect(open?.status).toBe('open')
    const paid = await administrator.call('POST', `/${open?.name}:pay`, {})
    expect(paid).toMatchObject({ status: 402, body: { reason: 'PAYMENT_CONFIRMATION' } })
    peer.state.confirmPayment((paid.body.metadata as { client_secret: string }).client_secret)
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'active' })
    expect((await administrator.call('POST', `/${open?.name}:pay`, {})).status).toBe(200)
    const elsewhere = `/${open?.name}:pay`.replace(made.organizationId, other.organizationId)
    expect((await other.administrator.call('POST', elsewhere, {})).status).toBe(404)
  })

  test('an upgrade that needs confirmation applies at the shown amount after the confirmation, and changes nothing without it', async () => {
    const made = await startPaying()
    const { administrator, params } = made
    await buy(made, 'plans/team')
    const confirming = await addCard(made, { confirms: true })
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: confirming }, { body: {} })
    peer.state.advance(peer.state.now + 10 * day)
    const asked = async (plan: string, more: object = {}) => {
      const { status, body } = await buy(made, plan, more)
      expect([status, body.reason]).toEqual([402, 'PAYMENT_CONFIRMATION'])
      return (body.metadata as { client_secret: string }).client_secret
    }
    const plan = async () => {
      const { plan: name, recurring_interval, status } = await administrator.ok(methods.subscriptions.get, params)
      return `${name} ${recurring_interval} ${status}`
    }
    const left = await asked('plans/business')
    expect([await plan(), (await administrator.ok(methods.invoices.list, params)).invoices.length]).toEqual([
      'plans/team MONTHLY active',
      1,
    ])
    // The next request replaces the unconfirmed upgrade. It is discarded after a day.
    const yearly = await asked('plans/team', { recurring_interval: 'ANNUALLY' })
    expect(() => peer.state.confirmPayment(left)).toThrow('over')
    peer.state.advance(peer.state.now + day)
    expect(() => peer.state.confirmPayment(yearly)).toThrow('over')
    expect(await plan()).toBe('plans/team MONTHLY active')
    const shown = await administrator.ok(methods.subscriptions.preview, params, {
      body: { plan: 'plans/business', recurring_interval: 'MONTHLY' },
    })
    peer.state.confirmPayment(await asked('plans/business', { prorate_time: shown.prorate_time }))
    expect(await webhook(made)).toBe(200)
    expect([await plan(), await mirrored(made)]).toEqual(['plans/business MONTHLY active', 'plans/business'])
    const { invoices } = await administrator.ok(methods.invoices.list, params)
    expect(invoices.map(({ status, total }) => `${status} ${total}`)).toEqual([`paid ${shown.total}`, 'paid 120.00'])
    const { changes } = await administrator.ok(methods.subscriptions.listChanges, params)
    expect(changes.map((each) => `${each.plan} ${each.recurring_interval} ${each.outcome}`)).toEqual([
      'plans/business MONTHLY done',
      'plans/team ANNUALLY unconfirmed',
      'plans/business MONTHLY unconfirmed',
      'plans/team MONTHLY done',
    ])
    const { audit_records } = await administrator.ok(methods.auditRecords.list, params)
    expect(audit_records.filter(({ action }) => action === 'subscriptions.update')).toHaveLength(2)
    // A confirmed upgrade of a canceled subscription undoes its end.
    await administrator.ok(methods.subscriptions.cancel, params, { body: {} })
    peer.state.confirmPayment(await asked('plans/business', { recurring_interval: 'ANNUALLY' }))
    expect(await plan()).toBe('plans/business ANNUALLY active')
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ next: null })
  })

  test.each(['before', 'after'] as const)(
    'if an unconfirmed upgrade is interrupted %s Stripe has received it, it can be repeated, and applies once',
    async (when) => {
      const made = await startPaying()
      await buy(made, 'plans/team')
      const confirming = await addCard(made, { confirms: true })
      const { administrator, params } = made
      await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: confirming }, { body: {} })
      let calls = 0
      peer.cut = ({ method, path }) =>
        method === 'POST' && path.startsWith('subscriptions/') && calls++ === 1 ? when : undefined
      expect(await buy(made, 'plans/business')).toMatchObject({ status: 503 })
      peer.cut = () => undefined
      const again = await buy(made, 'plans/business')
      expect(again.body.reason).toBe('PAYMENT_CONFIRMATION')
      expect(await mirrored(made)).toBe('plans/team')
      peer.state.confirmPayment((again.body.metadata as { client_secret: string }).client_secret)
      expect(await webhook(made)).toBe(200)
      expect(await mirrored(made)).toBe('plans/business')
      const { invoices } = await administrator.ok(methods.invoices.list, params)
      expect(invoices.map(({ status }) => status)).toEqual(['paid', 'paid'])
    },
  )

  test('the subscription of a deleted organization ends immediately, or as soon as Stripe responds', async () => {
    const [one, other] = [await startPaying(), await startPaying()]
    for (const made of [one, other]) await buy(made, 'plans/team')
    const remove = (made: Paying) =>
      made.administrator.call('POST', `/${made.organization}:delete`, { title: 'Acme Inc' })
    expect((await remove(one)).status).toBe(200)
    expect((await heldOf(one)).map(({ status }) => status)).toEqual(['canceled'])
    peer.failing = 500
    expect((await remove(other)).status).toBe(200)
    expect((await heldOf(other)).map(({ status }) => status)).toEqual(['active'])
    peer.failing = undefined
    await harness.db
      .updateTable('payment_operations')
      .set({ create_time: new Date(0) })
      .execute()
    await harness.settleSubscriptions({ signal })
    expect((await heldOf(other)).map(({ status }) => status)).toEqual(['canceled'])
  })

  test('a declined renewal shows its time and when limits start to apply; another card pays for it', async () => {
    const [made, other] = [await startPaying(), await startPaying()]
    const { administrator, params } = made
    await buy(made, 'plans/team')
    const bad = await addCard(made, { declines: true })
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: bad }, { body: {} })
    peer.state.advance(peer.state.now + 31 * day)
    const late = await administrator.ok(methods.subscriptions.get, params)
    expect(late.status).toBe('past_due')
    expect(Date.parse(late.limits_time ?? '') - Date.parse(late.past_due_time ?? '')).toBe(14 * day * 1000)
    const good = await addCard(made)
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: good }, { body: {} })
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({
      status: 'active',
      past_due_time: null,
    })
    // Another organization's cards are not found.
    const path = `/${other.organization}/paymentMethods/${good}`
    expect((await other.administrator.call('DELETE', path)).status).toBe(404)
    expect((await other.administrator.call('POST', `${path}:setDefault`, {})).status).toBe(404)
  })

  test.each(['before', 'after'] as const)(
    'if a plan change is interrupted %s Stripe has received it, it stays pending, and leads to one subscription',
    async (when) => {
      const made = await startPaying()
      peer.cut = ({ method, path }) => (method === 'POST' && path === 'subscriptions' ? when : undefined)
      expect(await buy(made, 'plans/team')).toMatchObject({ status: 503, body: { reason: 'PAYMENT_UNAVAILABLE' } })
      peer.cut = () => undefined
      // Stripe forgets keys after a day, but the change is found without them.
      peer.state.advance(peer.state.now + 120)
      await harness.settleSubscriptions({ signal })
      expect(await heldOf(made)).toHaveLength(1)
      expect(await mirrored(made)).toBe('plans/team')
      expect((await buy(made, 'plans/team')).status).toBe(200)
      expect(await heldOf(made)).toHaveLength(1)
    },
  )

  test('two people who change the plan at once get one Stripe subscription', async () => {
    const made = await startPaying()
    const calls = [made.administrator, made.platformAdmin, made.administrator].map((administrator) =>
      buy({ ...made, administrator }, 'plans/team'),
    )
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await heldOf(made)).toHaveLength(1)
  })

  test('while Stripe is unavailable, pages show the last known state and its time; without one, the state is unavailable', async () => {
    const made = await startPaying()
    const { administrator, params } = made
    await buy(made, 'plans/team')
    const before = clock()
    const read = async () => ({
      subscription: await administrator.ok(methods.subscriptions.get, params),
      cards: await administrator.ok(methods.paymentMethods.list, params),
      invoices: await administrator.ok(methods.invoices.list, params),
    })
    const known = await read()
    peer.failing = 500
    peer.state.advance(peer.state.now + 3600)
    const as_of_time = new Date(before).toISOString()
    expect(await read()).toEqual({
      subscription: { ...known.subscription, as_of_time },
      cards: { ...known.cards, as_of_time },
      invoices: { ...known.invoices, as_of_time },
    })
    expect(await buy(made, 'plans/business')).toMatchObject({ status: 503 })
    const other = await startOrganization(harness)
    await harness.db
      .insertInto('stripe_customers')
      .values({ organization_id: other.organizationId, customer: `cus_${other.organizationId}` })
      .execute()
    expect(await other.administrator.call('GET', `/${other.organization}/invoices`)).toMatchObject({ status: 503 })
  })

  test('billing details that Stripe rejects are shown at their field', async () => {
    const made = await startPaying()
    const company = {
      company: 'Acme',
      email: 'billing@acme.example',
      line1: '1 Main Street',
      city: 'Springfield',
      postal_code: '12345',
      country: 'Germany',
      tax_type: 'eu_vat',
      tax_id: 'DE123456789',
    }
    const put = (given: object) =>
      made.administrator.call('PUT', `/${made.organization}/billingCompany`, { ...company, ...given })
    expect((await put({})).status).toBe(200)
    const kept = peer.state.customer(await customerOf(made))
    expect(kept.company).toMatchObject({ name: 'Acme', address: { country: 'DE' } })
    expect(await put({ tax_id: 'nonsense' })).toMatchObject({
      status: 400,
      body: { metadata: { tax_id: expect.stringContaining('Invalid value') } },
    })
    expect(await put({ country: 'Atlantis' })).toMatchObject({
      status: 400,
      body: { metadata: { country: expect.any(String) } },
    })
    expect(kept.tax.map(({ value }) => value)).toEqual(['DE123456789'])
    expect((await put({ tax_id: 'DE987654321' })).status).toBe(200)
    expect(kept.tax.map(({ value }) => value)).toEqual(['DE987654321'])
  })
})

describe('a webhook of Stripe', () => {
  test('after a webhook, the state is read from Stripe, so late, replayed, or contradicting webhooks change nothing else', async () => {
    const made = await startPaying()
    await buy(made, 'plans/team')
    // The webhook says that the subscription is canceled, but Stripe does not.
    for (let times = 0; times < 3; times++) expect(await webhook(made)).toBe(200)
    expect(await mirrored(made)).toBe('plans/team')
    const [held] = await heldOf(made)
    if (held !== undefined) held.status = 'canceled'
    expect(await webhook(made)).toBe(200)
    expect(await mirrored(made)).toBe('plans/free')
  })

  test('a webhook that is forged, old, or from another account, mode, or deleted organization changes nothing', async () => {
    const made = await startPaying()
    await buy(made, 'plans/team')
    const [held] = await heldOf(made)
    if (held !== undefined) held.status = 'canceled'
    expect(await webhook(made, { secret: 'whsec_other' })).toBe(400)
    expect(await webhook(made, { time: peer.state.now - 301 })).toBe(400)
    expect(await webhook(made, { account: 'acct_other' })).toBe(200)
    expect(await webhook(made, { livemode: true })).toBe(200)
    const { body, signature } = peer.webhook({ id: 'x', object: 'invoice', customer: 'cus_deleted' })
    expect(await harness.receivePaymentWebhook({ body, signature })).toBe(200)
    const changed = Buffer.concat([body, Buffer.from(' ')])
    expect(await harness.receivePaymentWebhook({ body: changed, signature })).toBe(400)
    expect(await mirrored(made)).toBe('plans/team')
  })

  test('a webhook that cannot be processed now is rejected, so that Stripe sends it again', async () => {
    const made = await startPaying()
    peer.failing = 500
    await expect(webhook(made)).rejects.toThrow('cannot be reached')
  })
})

describe('STF-11: an onboarding link with amounts', () => {
  const onboard = async (given: object) => {
    const { platformAdmin } = await startOrganization(harness)
    const made = await platformAdmin.ok(methods.users.onboard, {}, { body: onboardBody(given) })
    const { onboardings } = await platformAdmin.ok(methods.onboardings.list, {})
    const organizationId = made.organization.name.replace('organizations/', '')
    const customer = async () =>
      (
        await harness.db
          .selectFrom('stripe_customers')
          .select('customer')
          .where('organization_id', '=', organizationId)
          .executeTakeFirst()
      )?.customer
    const invoices = async () => {
      const id = await customer()
      return [...peer.state.invoices.values()].filter((each) => each.customer === id)
    }
    const name = onboardings.find(({ email }) => email === made.user.email)?.name ?? ''
    return { ...made, platformAdmin, invoices, name, organizationId }
  }
  const complete = (made: Awaited<ReturnType<typeof onboard>>) =>
    harness.call('', 'POST', `/${made.user.name}:completeOnboarding`, completeBody(made.onboarding_token))

  test('an onboarding link with amounts opens a set-up invoice, and creates a subscription once after its use', async () => {
    const made = await onboard({ setup_amount: '10.50', yearly_amount: '1200.00' })
    const [invoice] = await made.invoices()
    expect(invoice).toMatchObject({ status: 'open', lines: [{ description: 'Set-up fee', amount: 1050 }] })
    expect(made.invoice_url).toBe(`${peer.url}/i/${invoice?.id}`)
    expect((await complete(made)).status).toBe(200)
    expect((await complete(made)).status).toBe(404)
    await harness.settleSubscriptions({ signal })
    expect((await made.invoices()).map(({ status, lines }) => [status, lines[0]?.amount])).toEqual([
      ['open', 1050],
      ['open', 120_000],
    ])
    const { body } = await made.platformAdmin.call('GET', `/organizations/${made.organizationId}/subscription`)
    expect(body).toMatchObject({ plan: 'plans/enterprise', recurring_interval: 'ANNUALLY', amount: '1200.00' })
  })

  test('an onboarding link without a fee has no invoice', async () => {
    const made = await onboard({ setup_amount: '0.00', yearly_amount: '0.00' })
    expect([made.invoice_url, await made.invoices()]).toEqual(['', []])
  })

  test.each(['revoked', 'expired'])(
    'an onboarding link that is %s has a void invoice and no subscription',
    async (how) => {
      const made = await onboard({ setup_amount: '99.99', yearly_amount: '10' })
      const path = `/${made.name}:revoke`
      if (how === 'revoked')
        expect(await made.platformAdmin.call('POST', path, {})).toMatchObject({ body: { state: how } })
      else peer.state.advance(peer.state.now + 14 * day)
      await harness.settleSubscriptions({ signal })
      expect((await made.invoices()).map(({ status }) => status)).toEqual(['void'])
      expect((await complete(made)).status).toBe(404)
      await harness.db
        .updateTable('sessions')
        .set({ expire_time: '2090-01-01', last_used_time: '2026-12-31' })
        .execute()
      expect((await made.platformAdmin.call('POST', path, {})).status).toBe(404)
      expect([...peer.state.subscriptions.values()].some(({ customer }) => customer === made.organizationId)).toBe(
        false,
      )
    },
  )

  test('if an onboarding invoice cannot be created, it is created once as soon as Stripe responds', async () => {
    peer.cut = ({ path }) => (path.endsWith('/finalize') ? 'after' : undefined)
    const made = await onboard({ setup_amount: '5', yearly_amount: '0' })
    expect(made.invoice_url).toBe('')
    peer.cut = () => undefined
    await harness.settleSubscriptions({ signal })
    expect((await made.invoices()).map(({ status }) => status)).toEqual(['open'])
    const { onboardings } = await made.platformAdmin.ok(methods.onboardings.list, {})
    expect(onboardings.find(({ name }) => name === made.name)?.invoice_url).toMatch(/\/i\/in_/)
  })
})
