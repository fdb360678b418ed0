// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Overage, UsageReport } from '@tributary/contract'
import type { ReactNode } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { config, openInWorkspace } from '../../../testing/page.tsx'
import { useNotices } from '../../../ui/overlays/toast.tsx'
import { InvoicesCard } from './invoices-card.tsx'
import { capText, OverageCard } from './overage-card.tsx'
import { heldText } from './usage-report-card.tsx'

const organization = 'organizations/o1'
const overage: Overage = {
  included: 10_000,
  price: '100.00',
  currency: 'USD',
  blocks: 2,
  amount: '200.00',
  cap: null,
  holds_beyond: null,
}
const report: UsageReport = {
  period_start_time: '2026-03-04T00:00:00.000Z',
  period_end_time: '2026-04-04T00:00:00.000Z',
  profiles: { used: 22_345, limit: 10_000, projected: null },
  events: { used: 1, limit: -1, projected: null },
  days: [],
  sources: [],
  overage,
  deleted_workspaces: { events: 0, profiles: 0 },
  grace_hours: 72,
  holds_from_time: null,
  held: { events: 0, since: null, removal_time: null, removed_events: 0 },
}
const invoice = {
  name: `${organization}/invoices/i1`,
  number: 'SANDBOX-1',
  status: 'open',
  create_time: '2026-03-04T00:00:00.000Z',
  currency: 'USD',
  total: '120.00',
  invoice_url: '/invoices/i1',
}
const toConfirm = () =>
  Response.json(
    { code: 402, reason: 'PAYMENT_CONFIRMATION', message: 'Confirm', metadata: { client_secret: 'the-secret' } },
    { status: 402 },
  )
const notices = () => useNotices.getState().waiting.map(({ kind, title }) => [kind, title])

/** Renders a card and returns the sent requests, as verb, path and body. */
const open = async (card: ReactNode, server: Partial<Record<string, () => Response>>) => {
  const sent: [string, string, unknown][] = []
  const { settled } = openInWorkspace(card, {
    answers: (path, init) => {
      if (init?.method !== undefined && init.method !== 'GET')
        sent.push([init.method, path, typeof init.body === 'string' ? JSON.parse(init.body) : undefined])
      if (path === '/config') return Response.json({ ...config, payment: 'sandbox' })
      return server[path]?.()
    },
  })
  await settled()
  return sent
}

beforeEach(() => {
  useNotices.setState({ waiting: [] })
})

test('the cost of additional profiles is shown, and their cap is set and removed', async () => {
  let shown = report
  const sent = await open(<OverageCard organization={organization} />, {
    [`/${organization}/usageReport`]: () => Response.json(shown),
    [`/${organization}/overageCap`]: () => {
      shown = { ...report, overage: { ...overage, cap: '300.00', holds_beyond: 40_000 } }
      return Response.json({ amount: '300.00', currency: 'USD' })
    },
  })
  expect(screen.getByText('To be billed so far: 2 × 10,000').parentElement?.textContent).toContain('$200.00')
  expect(screen.getByText('12,345')).toBeTruthy()
  const cap = screen.getByLabelText(/Cap for each period/)
  await userEvent.type(cap, 'a lot')
  await userEvent.click(screen.getByRole('button', { name: 'Save cap' }))
  expect(await screen.findByText('Enter an amount, such as 300')).toBeTruthy()
  await userEvent.clear(cap)
  await userEvent.type(cap, '300')
  await userEvent.click(screen.getByRole('button', { name: 'Save cap' }))
  await screen.findByText(/Up to 30,000 additional profiles/)
  await userEvent.clear(screen.getByLabelText(/Cap for each period/))
  await userEvent.click(screen.getByRole('button', { name: 'Save cap' }))
  await waitFor(() =>
    expect(sent).toEqual([
      ['PUT', `/${organization}/overageCap`, { amount: '300' }],
      ['PUT', `/${organization}/overageCap`, { amount: null }],
    ]),
  )
})

test('a plan that does not bill additional profiles does not mention them', async () => {
  await open(<OverageCard organization={organization} />, {
    [`/${organization}/usageReport`]: () => Response.json({ ...report, overage: null }),
  })
  expect(screen.queryByText('Additional profiles')).toBeNull()
  expect(capText('299.99', overage)).toBe('Up to 20,000 additional profiles.')
})

test('held events show the exceeded limit, their release, and the grace period of each period', () => {
  const from = { ...report, holds_from_time: '2026-03-27T10:00:00.000Z' }
  expect(heldText({ ...from, overage: null })).toBe(
    'The organization is over a limit of its plan. Events are held from Mar 27, 2026, 10:00 UTC: in each period, 72 hours after it is exceeded. Upgrade to a larger plan to have them delivered.',
  )
  const capped = { ...from, overage: { ...overage, cap: '100.00', holds_beyond: 20_000 } }
  expect(heldText(capped)).toContain('over its cap on additional profiles')
  expect(heldText(capped)).toContain('Raise the cap')
  const held = { ...capped, held: { ...report.held, events: 2, since: '2026-03-27T10:00:00.000Z' } }
  expect(heldText(held)).toContain('They are released when the cap is raised')
})

test("an open invoice is paid in the list after the bank's confirmation; if refused, it stays open", async () => {
  let status = 'open'
  const sent = await open(<InvoicesCard organization={organization} />, {
    [`/${organization}/invoices`]: () => Response.json({ invoices: [{ ...invoice, status }], as_of_time: null }),
    [`/${organization}/invoices/i1:pay`]: toConfirm,
    [`/${organization}:confirmSandboxPayment`]: () => {
      status = 'paid'
      return Response.json({})
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Pay invoice SANDBOX-1' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Refuse' }))
  await waitFor(() => expect(notices()).toEqual([['error', 'Could not pay invoice SANDBOX-1']]))
  expect(screen.getByText('Open')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Pay invoice SANDBOX-1' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }))
  await screen.findByText('Paid')
  expect(screen.queryByRole('button', { name: /^Pay/ })).toBeNull()
  expect(sent).toEqual([
    ['POST', `/${organization}/invoices/i1:pay`, {}],
    ['POST', `/${organization}/invoices/i1:pay`, {}],
    ['POST', `/${organization}:confirmSandboxPayment`, { client_secret: 'the-secret' }],
  ])
})
