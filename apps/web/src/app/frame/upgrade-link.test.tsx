// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { config, openInWorkspace, workspaceOn } from '../../testing/page.tsx'
import { UpgradeLink } from './upgrade-link.tsx'

const open = (plan: string, role: string, pricing = config.links.pricing, payment = 'none') =>
  openInWorkspace(<UpgradeLink workspace={workspaceOn(plan)} narrow={false} />, {
    plan,
    role,
    answers: (path) =>
      path === '/config' ? Response.json({ ...config, payment, links: { ...config.links, pricing } }) : undefined,
  })

test('BIL-36, BIL-38, AMB-12: administrators on the free plan get a link to the prices in a new tab', async () => {
  open('plans/free', 'ORG_ADMIN')
  const link = await screen.findByRole('link', { name: /^Upgrade/ })
  expect(link.getAttribute('href')).toBe(config.links.pricing)
  expect(link.getAttribute('target')).toBe('_blank')
})

test.each(['none', 'sandbox', 'stripe'])(
  "without a page of prices, Upgrade opens the product's own plans, with the payment %s (BIL-36)",
  async (payment) => {
    open('plans/free', 'ORG_ADMIN', '', payment)
    await userEvent.click(await screen.findByRole('button', { name: 'Upgrade' }))
    expect(await screen.findByRole('dialog', { name: 'Pricing plans for teams of all sizes' })).toBeTruthy()
  },
)

test.each([
  ['another plan', 'plans/pro', 'ORG_ADMIN', undefined],
  ['a collaborator', 'plans/free', 'ORG_COLLABORATOR', undefined],
  ['a guest', 'plans/free', 'ORG_GUEST', undefined],
  ['a collaborator without a page of prices', 'plans/free', 'ORG_COLLABORATOR', ''],
  ['a paid plan without a page of prices', 'plans/pro', 'ORG_ADMIN', ''],
])('BIL-36, BIL-37: no upgrade is offered to %s', async (_, plan, role, pricing) => {
  const { asked, settled } = open(plan, role, pricing)
  await settled()
  expect(asked.toSorted()).toEqual(['/config', '/users/u1', '/users/u1/memberships'])
  expect(screen.queryByRole('link')).toBeNull()
})
