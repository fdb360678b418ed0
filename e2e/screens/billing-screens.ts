import type { Page } from '@playwright/test'
import type { MethodResponse, methods, UsageReport } from '@tributary/contract'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

export const answer = (pattern: RegExp, json: unknown) => async (page: Page) => {
  await page.route(
    (url) => pattern.test(url.pathname),
    (route) => route.fulfill({ json }),
  )
}

export const billing = (seed: Seed) => `/${seed.filled.workspace}/settings/organization/billing`
const organizationPath = /^\/api\/organizations\/[^/]+/.source
export const onPath = (rest: string) => new RegExp(`${organizationPath}${rest}$`)

/** Fakes the responses of a payment provider that accepts test cards. */
export const sold = async (page: Page): Promise<void> => {
  await page.route(
    (url) => url.pathname === '/api/config',
    async (route) => {
      const config: unknown = await (await route.fetch()).json()
      await route.fulfill({ json: { ...(config as object), payment: 'sandbox' } })
    },
  )
}
const card = (id: number, brand: string, last4: string) => ({
  name: `organizations/o1/paymentMethods/m${id}`,
  brand,
  last4,
  exp_month: 12,
  exp_year: 2030,
  default: id === 1,
})
const paid = (next: unknown, status = 'active', as_of_time: string | null = null) => ({
  name: 'organizations/o1/subscription',
  plan: 'plans/team',
  recurring_interval: 'MONTHLY',
  status,
  amount: '120.00',
  currency: 'USD',
  period_start_time: '2026-03-04T05:06:07.000Z',
  period_end_time: '2026-04-04T05:06:07.000Z',
  next,
  past_due_time: status === 'past_due' ? '2026-03-04T05:06:07.000Z' : null,
  limits_time: status === 'past_due' ? '2026-03-18T05:06:07.000Z' : null,
  payment: 'sandbox',
  as_of_time,
})
export const subscribed =
  (...given: Parameters<typeof paid>) =>
  async (page: Page) => {
    await sold(page)
    await page.route(
      (url) => onPath('').test(url.pathname),
      async (route) => {
        if (route.request().method() !== 'GET') return route.fallback()
        const found = (await (await route.fetch()).json()) as { subscription: { extra: object } }
        found.subscription.extra = { plan_name: 'plans/team' }
        await route.fulfill({ json: found })
      },
    )
    await answer(onPath('/subscription'), paid(...given))(page)
    await answer(onPath('/paymentMethods'), {
      payment_methods: [card(1, 'Visa', '4242'), card(2, 'American Express', '0005')],
      as_of_time: given[2] ?? null,
    })(page)
    const change = {
      change: 'change',
      plan: 'plans/team',
      recurring_interval: 'MONTHLY',
      takes_effect: 'now',
      create_time: '2026-03-04T05:06:07.000Z',
      outcome: 'done',
      actor: 'Ada Lovelace',
    }
    await answer(onPath('/subscription/changes'), {
      changes: [
        { ...change, change: 'resume', plan: null, recurring_interval: null, takes_effect: null },
        { ...change, plan: 'plans/business', outcome: 'declined', create_time: '2026-03-10T05:06:07.000Z' },
        { ...change, outcome: 'pending', recurring_interval: 'ANNUALLY', create_time: '2026-03-01T05:06:07.000Z' },
        { ...change, create_time: '2026-02-04T05:06:07.000Z' },
      ],
    })(page)
    const listed = { status: 'paid', create_time: '2026-03-04T05:06:07.000Z', currency: 'USD', total: '120.00' }
    await answer(onPath('/invoices'), {
      invoices: [
        {
          ...listed,
          name: 'organizations/o1/invoices/b',
          number: 'SANDBOX-2',
          status: status(given[1]),
          invoice_url: '/invoices/b',
        },
        { ...listed, name: 'organizations/o1/invoices/a', number: 'SANDBOX-1', invoice_url: '/invoices/a' },
        {
          ...listed,
          name: 'organizations/o1/invoices/0',
          number: 'SANDBOX-0',
          status: 'void',
          invoice_url: '/invoices/0',
        },
      ],
      as_of_time: given[2] ?? null,
    })(page)
  }
const status = (of: string | undefined): string => (of === 'past_due' ? 'open' : 'paid')
/** Fakes the usage of an organization on a plan with limits. */
export const used =
  (profiles: number, events: number, more: Partial<UsageReport> = {}) =>
  async (page: Page) => {
    await sold(page)
    const limits = {
      profiles: 10_000,
      events: 100_000,
      sources: 2,
      destinations: 2,
      audiences: 1,
      syncs: 2,
      members: 5,
      workspaces: 1,
    }
    const usage: MethodResponse<typeof methods.organizations.getUsage> = {
      workspaces: 1,
      members: 3,
      syncs: 1,
      sources: 2,
      profiles,
      destinations: 1,
      audiences: 1,
      events,
      period_end_time: '2026-04-01T00:00:00.000Z',
      limits,
    }
    await answer(onPath('/usage'), usage)(page)
    const now = new Date()
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
    const day = (index: number) => ({
      date: new Date(first + index * 86_400_000).toISOString().slice(0, 10),
      events: Math.round(events / 10) + index * 137,
      new_profiles: Math.round(profiles / 10),
    })
    const source = (title: string, share: number) => ({
      source: `workspaces/w1/sources/${title.toLowerCase()}`,
      title,
      workspace_title: 'Production',
      events: Math.round(events * share),
      profiles: Math.round(profiles * share),
      held_events: 'held' in more ? Math.round(12_345 * share) : 0,
    })
    const report: UsageReport = {
      period_start_time: new Date(first).toISOString(),
      period_end_time: new Date(next).toISOString(),
      profiles: { used: profiles, limit: limits.profiles, projected: Math.round(profiles * 1.4) },
      events: { used: events, limit: limits.events, projected: Math.round(events * 1.4) },
      days: Array.from({ length: 10 }, (_, index) => day(index)),
      sources: [source('Website', 0.7), source('A mobile application with a rather long title', 0.3)],
      overage: null,
      deleted_workspaces: { events: 0, profiles: 0 },
      grace_hours: 72,
      holds_from_time: null,
      held: { events: 0, since: null, removal_time: null, removed_events: 0 },
      ...more,
    }
    await answer(onPath('/usageReport'), report)(page)
  }
const overage = (blocks: number, amount: string, cap: string | null) => ({
  included: 10_000,
  price: '100.00',
  currency: 'USD',
  blocks,
  amount,
  cap,
  holds_beyond: cap === null ? null : 10_000 + blocks * 10_000,
})
export const openPlans = async (page: Page): Promise<void> => {
  await settled(page)
  await page.getByRole('button', { name: 'Change plan' }).click()
  await page.getByRole('region', { name: 'Team' }).waitFor()
}

/** Fakes an organization on a paid plan that previews an upgrade, and a bank that asks for confirmation. */
const upgrading = async (page: Page): Promise<void> => {
  await subscribed(null)(page)
  await answer(onPath('/subscription:preview'), {
    takes_effect: 'now',
    effect_time: null,
    lines: [
      { description: 'Remaining time on Business (monthly)', amount: '300.00' },
      { description: 'Unused time on Team (monthly)', amount: '-60.00' },
    ],
    total: '240.00',
    currency: 'USD',
    prorate_time: '2026-03-19T05:06:07.000Z',
  })(page)
  const refused = { code: 402, reason: 'PAYMENT_CONFIRMATION', message: 'Confirm', metadata: { client_secret: 's' } }
  await page.route(
    (url) => onPath('/subscription').test(url.pathname),
    (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 402, json: refused }) : route.fallback(),
  )
}
const chooseBusiness = async (page: Page): Promise<void> => {
  await openPlans(page)
  await page.getByRole('region', { name: 'Business' }).getByRole('button', { name: 'Buy plan' }).click()
  await page.getByRole('region', { name: 'Upgrade to Business' }).waitFor()
}
const askedByBank = async (page: Page): Promise<void> => {
  await chooseBusiness(page)
  await page.getByRole('button', { name: 'Upgrade', exact: true }).click()
  await page.getByRole('button', { name: 'Refuse' }).waitFor()
}

/** The screens of invoices, payment methods, and plans, each in all states. */
export const billingScreens: Screen[] = [
  { name: 'billing-free', path: billing, prepare: sold, ready: settled },
  { name: 'billing-usage-near', path: billing, prepare: used(8_412, 64_000), ready: settled },
  {
    name: 'billing-usage-grace',
    path: billing,
    prepare: used(10_240, 91_000, { holds_from_time: '2026-03-27T10:00:00.000Z' }),
    ready: settled,
  },
  {
    name: 'billing-usage-held',
    path: billing,
    prepare: used(10_240, 91_000, {
      held: {
        events: 12_345,
        since: '2026-03-27T10:00:00.000Z',
        removal_time: '2026-04-20T10:00:00.000Z',
        removed_events: 3,
      },
    }),
    ready: settled,
  },
  {
    name: 'billing-overage',
    path: billing,
    prepare: async (page) => {
      await subscribed(null)(page)
      await used(22_345, 64_000, {
        overage: overage(2, '200.00', null),
        deleted_workspaces: { events: 2_310, profiles: 402 },
      })(page)
    },
    ready: settled,
  },
  {
    name: 'billing-overage-capped',
    path: billing,
    prepare: async (page) => {
      await subscribed(null)(page)
      await used(22_345, 64_000, {
        overage: overage(1, '100.00', '100.00'),
        held: { events: 12_345, since: '2026-03-27T10:00:00.000Z', removal_time: null, removed_events: 0 },
      })(page)
    },
    ready: settled,
  },
  {
    name: 'billing-confirm',
    path: billing,
    prepare: async (page) => {
      await subscribed(null, 'past_due')(page)
      await page.route(
        (url) => url.pathname.endsWith('/invoices/b:pay'),
        (route) =>
          route.fulfill({
            status: 402,
            json: { code: 402, reason: 'PAYMENT_CONFIRMATION', message: 'Confirm', metadata: { client_secret: 's' } },
          }),
      )
    },
    expectsFailedCalls: true,
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Pay invoice SANDBOX-2' }).click()
      await page.getByRole('button', { name: 'Refuse' }).waitFor()
    },
  },
  { name: 'billing-paid', path: billing, prepare: subscribed(null), ready: settled },
  {
    name: 'billing-ending',
    path: billing,
    prepare: subscribed({ plan: 'plans/free', recurring_interval: 'MONTHLY' }, 'past_due'),
    ready: settled,
  },
  {
    name: 'billing-canceled',
    path: billing,
    prepare: subscribed({ plan: 'plans/free', recurring_interval: 'MONTHLY' }),
    ready: settled,
  },
  { name: 'billing-past-due', path: billing, prepare: subscribed(null, 'past_due'), ready: settled },
  {
    name: 'billing-failed',
    path: billing,
    prepare: async (page) => {
      await sold(page)
      for (const part of ['usageReport', 'subscription', 'paymentMethods', 'billingCompany', 'invoices'])
        await failing(onPath(`/${part}`))(page)
    },
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'billing-away',
    path: billing,
    prepare: subscribed(null, 'active', '2026-03-04T05:06:07.000Z'),
    ready: settled,
  },
  {
    name: 'billing-upgrade',
    path: billing,
    prepare: upgrading,
    ready: chooseBusiness,
  },
  { name: 'billing-bank', path: billing, prepare: upgrading, expectsFailedCalls: true, ready: askedByBank },
  { name: 'billing-plans', path: billing, prepare: sold, ready: openPlans },
  {
    name: 'billing-card',
    path: billing,
    prepare: async (page) => {
      await sold(page)
      await answer(/:billingSetupIntent$/, { client_secret: 'sandbox_seti_1' })(page)
    },
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Add Payment method' }).click()
      await page.getByLabel('Card number').waitFor()
    },
  },
  { name: 'billing-success', path: () => '/payment/success', ready: settled },
  {
    name: 'billing-invoice',
    path: () => '/invoices/a',
    signedOut: true,
    prepare: answer(/^\/api\/invoices\/a$/, {
      number: 'SANDBOX-2',
      organization: 'Contoso Retail',
      company: {
        company: 'Contoso Retail GmbH',
        email: 'billing@contoso.example',
        line1: '1 Main Street',
        line2: '',
        city: 'Springfield',
        state: 'IL',
        postal_code: '12345',
        country: 'US',
        tax_type: 'eu_vat',
        tax_id: 'DE123456789',
      },
      status: 'paid',
      create_time: '2026-03-19T05:06:07.000Z',
      currency: 'USD',
      lines: [
        { description: 'Remaining time on Business (monthly)', amount: '300.00' },
        { description: 'Unused time on Team (monthly)', amount: '-60.00' },
      ],
      total: '240.00',
      payment: 'sandbox',
    }),
    ready: settled,
  },
]
