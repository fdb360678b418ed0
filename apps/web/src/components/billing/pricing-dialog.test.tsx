// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Plan } from '@tributary/contract'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { config, openInWorkspace, workspaceOn } from '../../testing/page.tsx'
import { useNotices } from '../../ui/overlays/toast.tsx'
import { PaymentMethodDialog } from './payment-method-dialog.tsx'
import { featureLines } from './plan-texts.ts'
import { PricingDialog } from './pricing-dialog.tsx'

const features = {
  profiles: 10_000,
  events: 100_000,
  sources: 2,
  destinations: 2,
  audiences: 1,
  syncs: 2,
  workspaces: 2,
  members: 5,
  white_glove_onboarding: false,
  customer_success_manager: false,
}
const plan = (title: string, amount: string, more: Partial<Plan> = {}): Plan => ({
  name: `plans/${title.toLowerCase()}`,
  title,
  description: `For ${title}`,
  amount,
  currency: 'USD',
  interval: 'MONTHLY',
  features,
  extra_profiles_amount: null,
  ...more,
})
const plans = [
  plan('Free', '0.00'),
  plan('Team', '120.00', { extra_profiles_amount: '100.00' }),
  plan('Team', '1200.00', { interval: 'ANNUALLY', extra_profiles_amount: '100.00' }),
  plan('Enterprise', 'custom', { features: { ...features, profiles: -1 } }),
  plan('Special', 'custom'),
]
const organization = 'organizations/o1'
const card = {
  name: `${organization}/paymentMethods/m1`,
  brand: 'Visa',
  last4: '4242',
  exp_month: 12,
  exp_year: 2090,
  default: true,
}
const subscription = {
  name: `${organization}/subscription`,
  plan: 'plans/team',
  recurring_interval: 'MONTHLY',
  status: 'active',
  amount: '120.00',
  currency: 'USD',
  period_start_time: '2026-01-01T00:00:00Z',
  period_end_time: '2026-02-01T00:00:00Z',
  next: null,
  past_due_time: null,
  limits_time: null,
  payment: 'sandbox',
  as_of_time: null,
}
const failure = (message: string) => Response.json({ code: 400, reason: 'NO', message, metadata: {} }, { status: 400 })

const toConfirm = () =>
  Response.json(
    { code: 402, reason: 'PAYMENT_CONFIRMATION', message: 'Confirm', metadata: { client_secret: 'the-secret' } },
    { status: 402 },
  )

type Server = Partial<Record<string, (body: unknown) => Response>>

/** Renders a dialog and returns the sent requests, as verb, path and body; `answers` overrides responses by path. */
const open = async (
  part: 'pricing' | 'card',
  {
    on = 'plans/free',
    cards = [card],
    ...given
  }: {
    on?: string
    cards?: unknown[]
    server?: Server
  } = {},
) => {
  const sent: [string, string, unknown][] = []
  const onClose = vi.fn()
  const server: Server = {
    '/config': () =>
      Response.json({
        ...config,
        payment: 'sandbox',
        links: { ...config.links, contact_sales: 'https://tributary.example/sales' },
      }),
    '/plans': () => Response.json({ plans }),
    [`/${organization}`]: () => Response.json(workspaceOn(on).organization),
    [`/${organization}/paymentMethods`]: () => Response.json({ payment_methods: cards, as_of_time: null }),
    [`/${organization}/subscription`]: () => Response.json(subscription),
    [`/${organization}:billingSetupIntent`]: () => Response.json({ client_secret: 'the-secret' }),
    [`/${organization}:confirmSandboxCard`]: () => Response.json(card),
    ...given.server,
  }
  const { settled } = openInWorkspace(
    part === 'pricing' ? (
      <PricingDialog open onClose={onClose} organization={organization} />
    ) : (
      <PaymentMethodDialog open onClose={onClose} organization={organization} />
    ),
    {
      answers: (path, init) => {
        const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
        if (init?.method !== undefined && init.method !== 'GET') sent.push([init.method, path, body])
        return server[path]?.(body)
      },
    },
  )
  await settled()
  return { sent, onClose, settled }
}
const choose = (title: string) =>
  userEvent.click(within(screen.getByRole('region', { name: title })).getAllByRole('button')[0] as HTMLElement)
const notices = () => useNotices.getState().waiting.map(({ kind, title }) => [kind, title])

beforeEach(() => {
  useNotices.setState({ waiting: [] })
})

describe('the pricing modal', () => {
  test('BIL-01, BIL-02, BIL-03, BIL-04, AMB-13: the pricing modal has its title, a card for each plan, and monthly as the initial frequency', async () => {
    await open('pricing')
    expect(screen.getByRole('dialog', { name: 'Pricing plans for teams of all sizes' })).toBeTruthy()
    expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
      'Free',
      'Team',
      'Enterprise',
      'Special',
    ])
    expect(screen.getByText('For Team')).toBeTruthy()
    const [monthly, annually] = screen.getAllByRole<HTMLInputElement>('radio')
    expect([monthly?.parentElement?.textContent, annually?.parentElement?.textContent]).toEqual(['Monthly', 'Annually'])
    expect(monthly?.checked).toBe(true)
    expect(screen.getByText('$120.00 a month')).toBeTruthy()
    await userEvent.click(screen.getByRole('radio', { name: 'Annually' }))
    expect(screen.getByText('$1,200.00 a year')).toBeTruthy()
    expect(screen.getByText(/no money is moved/)).toBeTruthy()
  })

  test('an upgrade of a paid plan shows the charge first, and charges it after the user agrees', async () => {
    const business = [...plans.slice(0, 3), plan('Business', '600.00')]
    const { sent } = await open('pricing', {
      on: 'plans/team',
      server: {
        '/plans': () => Response.json({ plans: business }),
        [`/${organization}/subscription:preview`]: () =>
          Response.json({
            takes_effect: 'now',
            effect_time: null,
            lines: [
              { description: 'Remaining time on Business (monthly)', amount: '300.00' },
              { description: 'Unused time on Team (monthly)', amount: '-60.00' },
            ],
            total: '240.00',
            currency: 'USD',
            prorate_time: '2026-01-15T00:00:00.000Z',
          }),
      },
    })
    await choose('Business')
    const dialog = await screen.findByRole('region', { name: 'Upgrade to Business' }, { timeout: 30_000 })
    expect(dialog.textContent).toContain('$240.00')
    expect(sent.filter(([verb]) => verb === 'PATCH')).toEqual([])
    await userEvent.click(within(dialog).getByRole('button', { name: 'Upgrade' }))
    await waitFor(
      () =>
        expect(sent.filter(([verb]) => verb === 'PATCH')).toEqual([
          [
            'PATCH',
            `/${organization}/subscription`,
            { plan: 'plans/business', recurring_interval: 'MONTHLY', prorate_time: '2026-01-15T00:00:00.000Z' },
          ],
        ]),
      { timeout: 30_000 },
    )
  })

  test('BIL-06, BIL-07, BIL-11, BIL-12: the pricing modal has one button per card, custom prices, and unlimited features', async () => {
    await open('pricing', { on: 'plans/team' })
    const labels = ['Free', 'Team', 'Enterprise', 'Special'].map((title) =>
      within(screen.getByRole('region', { name: title }))
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    )
    expect(labels).toEqual([['Downgrade'], ['Current Plan'], ['Contact Sales'], ['Contact Sales']])
    const enterprise = screen.getByRole('region', { name: 'Enterprise' })
    expect(enterprise.textContent).toContain('Custom price')
    expect(enterprise.textContent).not.toContain('$')
    expect(enterprise.textContent).toContain('Unlimited profiles')
    expect(featureLines(features).map(({ key }) => key)).toEqual(Object.keys(features))
    expect(screen.getByRole('region', { name: 'Free' }).textContent).toMatch(/1 audience(?!s)/)
  })

  test.each([
    [
      'MONTHLY',
      'Annually',
      'Team stays billed monthly. To change that, choose Switch to annual billing on the Billing page.',
    ],
    [
      'ANNUALLY',
      'Monthly',
      'Team stays billed annually. To change that, choose Switch to monthly billing on the Billing page.',
    ],
  ])(
    'the pricing modal says that a plan billed %s keeps this billing frequency if %s is chosen',
    async (recurring_interval, chosen, text) => {
      const { settled } = await open('pricing', {
        on: 'plans/team',
        server: { [`/${organization}/subscription`]: () => Response.json({ ...subscription, recurring_interval }) },
      })
      await userEvent.click(screen.getByRole('radio', { name: chosen }))
      await settled()
      expect(screen.getByText(text)).toBeTruthy()
      await userEvent.click(screen.getByRole('radio', { name: chosen === 'Annually' ? 'Monthly' : 'Annually' }))
      expect(screen.queryByText(text)).toBeNull()
    },
  )

  test('if payment is not set up, the pricing modal says that plans cannot be bought, and sends nothing', async () => {
    const { sent } = await open('pricing', {
      server: { '/config': () => Response.json({ ...config, payment: 'none' }) },
    })
    expect(screen.getByText(/Payment is not set up on this installation/)).toBeTruthy()
    await choose('Team')
    expect([sent, notices()]).toEqual([
      [],
      [['info', 'Payment is not set up on this installation, so plans cannot be bought here.']],
    ])
  })

  test('BIL-10: the pricing modal shows in a tooltip what additional profiles cost, if a plan bills them', async () => {
    await open('pricing')
    const about = screen.getAllByRole('img', { name: 'About additional profiles' })
    expect(about).toHaveLength(1)
    await userEvent.hover(about[0] as HTMLElement)
    expect((await screen.findAllByText(/\+\$100 per extra 10,000 profiles/)).length).toBeGreaterThan(0)
  })

  test('BIL-17, BIL-18, BIL-19, AMB-10: the pricing modal links to sales for Enterprise, and does nothing for the current or an unpriced plan', async () => {
    const opened = vi.fn()
    vi.stubGlobal('open', opened)
    const { sent, onClose } = await open('pricing')
    await choose('Enterprise')
    expect(opened.mock.calls.map(([address]) => address)).toEqual(['https://tributary.example/sales'])
    await choose('Free')
    await choose('Special')
    expect([sent, notices(), onClose.mock.calls, opened.mock.calls.length]).toEqual([[], [], [], 1])
  })

  test('the pricing modal asks for a payment method first, and then changes the plan (BIL-20, BIL-21, BIL-35)', async () => {
    const cards: unknown[] = []
    const { sent } = await open('pricing', {
      cards,
      server: {
        [`/${organization}:confirmSandboxCard`]: () => {
          cards.push(card)
          return Response.json(card)
        },
      },
    })
    await choose('Team')
    await screen.findByRole('dialog', { name: 'Add payment method' })
    expect(notices()).toEqual([['error', 'Please setup a payment method first']])
    await userEvent.type(await screen.findByLabelText(/Card number/), '4242 4242 4242 4242')
    await userEvent.type(screen.getByLabelText(/Expiry/), '12/90')
    await userEvent.type(screen.getByLabelText(/CVC/), '123')
    await userEvent.click(screen.getByRole('button', { name: 'Add Payment method' }))
    await waitFor(() => expect(screen.queryByLabelText(/Card number/)).toBeNull())
    await choose('Team')
    await waitFor(() => expect(sent.map(([verb]) => verb)).toEqual(['POST', 'POST', 'PATCH']))
  })

  test('BIL-22, BIL-23, BIL-25, AMB-62: the pricing modal changes the subscription, confirms the change, and closes', async () => {
    const { sent, onClose } = await open('pricing')
    await userEvent.click(screen.getByRole('radio', { name: 'Annually' }))
    await choose('Team')
    await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1))
    expect(sent).toEqual([
      ['PATCH', `/${organization}/subscription`, { plan: 'plans/team', recurring_interval: 'ANNUALLY' }],
    ])
    expect(notices()).toEqual([['success', 'Your plan has been successully upgraded to Team']])
  })

  test('BIL-24: the pricing modal shows a downgrade message for a free plan', async () => {
    await open('pricing', { on: 'plans/team' })
    await choose('Free')
    await waitFor(() => expect(notices()).toEqual([['success', 'Your plan has been successully downgraded to Free']]))
  })

  test('BIL-26: the pricing modal shows that a plan could not be changed, and stays open', async () => {
    const { onClose } = await open('pricing', {
      server: { [`/${organization}/subscription`]: () => failure('No') },
    })
    await choose('Team')
    await waitFor(() => expect(notices()).toEqual([['error', "Couldn't upgrade your plan to Team, please try again"]]))
    expect(onClose).not.toHaveBeenCalled()
  })

  test('a first payment is confirmed with the bank in the dialog; if it is refused, nothing changes', async () => {
    const { sent, onClose } = await open('pricing', {
      server: {
        [`/${organization}/subscription`]: (body) => (body === undefined ? Response.json(subscription) : toConfirm()),
        [`/${organization}:confirmSandboxPayment`]: () => Response.json({}),
      },
    })
    await choose('Team')
    await userEvent.click(await screen.findByRole('button', { name: 'Refuse' }))
    await waitFor(() => expect(notices()).toEqual([['error', "Couldn't upgrade your plan to Team, please try again"]]))
    expect(onClose).not.toHaveBeenCalled()
    await choose('Team')
    await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }))
    await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1))
    expect(sent.map(([verb, path]) => `${verb} ${path}`)).toEqual([
      `PATCH /${organization}/subscription`,
      `PATCH /${organization}/subscription`,
      `POST /${organization}:confirmSandboxPayment`,
    ])
  })

  test.each([
    ['BIL-27, AMB-65, AMB-85', '/plans', 'Failed to load the plan'],
    ['BIL-28', `/${organization}`, 'Failed to load the organization subscription'],
  ])('%s: the pricing modal says that %s could not be loaded', async (_, path, title) => {
    await open('pricing', { server: { [path]: () => failure('No') } })
    expect(await screen.findByText(title)).toBeTruthy()
  })
})

describe('the payment-method modal', () => {
  const fill = async () => {
    await userEvent.type(await screen.findByLabelText(/Card number/), '4000 0000 0000 0002')
    await userEvent.type(screen.getByLabelText(/Expiry/), '12/90')
    await userEvent.type(screen.getByLabelText(/CVC/), '123')
    await userEvent.click(screen.getByRole('button', { name: 'Add Payment method' }))
  }

  test('BIL-29, BIL-30, BIL-31: the payment-method modal shows a card form with the secret of a setup intent', async () => {
    const { sent, onClose } = await open('card')
    expect(sent).toEqual([['POST', `/${organization}:billingSetupIntent`, {}]])
    expect(screen.getByText(/no money is moved/)).toBeTruthy()
    await fill()
    await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1))
    expect(sent[1]).toEqual([
      'POST',
      `/${organization}:confirmSandboxCard`,
      { client_secret: 'the-secret', number: '4000 0000 0000 0002', exp_month: 12, exp_year: 2090, cvc: '123' },
    ])
  })

  test('BIL-32: the payment-method modal shows that the form could not be started', async () => {
    await open('card', { server: { [`/${organization}:billingSetupIntent`]: () => failure('No') } })
    expect(await screen.findByText('Failed to initiate the payment method form')).toBeTruthy()
  })

  test('a card for which the bank requires a confirmation is added after the confirmation', async () => {
    const { sent, onClose } = await open('card', {
      server: {
        [`/${organization}:confirmSandboxCard`]: (body) =>
          (body as { confirmed?: boolean }).confirmed === true ? Response.json(card) : toConfirm(),
      },
    })
    await fill()
    await userEvent.click(await screen.findByRole('button', { name: 'Refuse' }))
    await waitFor(() =>
      expect(notices()).toEqual([['error', 'An error has occured while adding your payment method, please try again']]),
    )
    expect(onClose).not.toHaveBeenCalled()
    await userEvent.click(screen.getByRole('button', { name: 'Add Payment method' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }))
    await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1))
    expect(sent.slice(1).map(([, , body]) => (body as { confirmed?: boolean }).confirmed)).toEqual([
      undefined,
      undefined,
      true,
    ])
  })

  test('BIL-33, AMB-62: the payment-method modal shows that the card could not be added, and keeps the form', async () => {
    const declined = { code: 402, reason: 'CARD_DECLINED', message: 'The card was declined', metadata: {} }
    const { onClose } = await open('card', {
      server: { [`/${organization}:confirmSandboxCard`]: () => Response.json(declined, { status: 402 }) },
    })
    await fill()
    await screen.findByText('The card was declined')
    expect(notices()).toEqual([['error', 'An error has occured while adding your payment method, please try again']])
    expect(onClose).not.toHaveBeenCalled()
  })
})
