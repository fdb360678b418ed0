// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { upgradeText } from '../../lib/api/errors.ts'
import { config, openInWorkspace } from '../../testing/page.tsx'
import { CreateWorkspaceDialog } from '../create-workspace-dialog.tsx'
import { UpgradeOffer } from './upgrade-offer.tsx'

/** Submits a form of the workspace that the server rejects with `upgrade required`. */
const refuse = async ({ role = 'ORG_ADMIN', payment = 'sandbox' }) => {
  const { settled } = openInWorkspace(
    <UpgradeOffer>
      <CreateWorkspaceDialog open onClose={() => undefined} organization="organizations/o1" />
    </UpgradeOffer>,
    {
      role,
      answers: (path, init) => {
        if (path === '/config') return Response.json({ ...config, payment })
        if (path !== '/workspaces' || init?.method !== 'POST') return undefined
        const refusal = { code: 402, reason: 'UPGRADE_REQUIRED', message: 'upgrade required', metadata: {} }
        return Response.json(refusal, { status: 402 })
      },
    },
  )
  await settled()
  await userEvent.type(await screen.findByRole('textbox', { name: /Workspace name/ }), 'Staging')
  await userEvent.click(screen.getByRole('button', { name: 'Create' }))
  expect(await screen.findByText(upgradeText)).toBeTruthy()
  await settled()
}

test('ERR-24: a form that is rejected because of the plan shows the plans to administrators, and keeps the input', async () => {
  await refuse({})
  await userEvent.click(screen.getByRole('button', { name: 'Show plans' }))
  expect(await screen.findByRole('dialog', { name: 'Pricing plans for teams of all sizes' })).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /Workspace name/, hidden: true }).value).toBe('Staging')
})

test.each([
  ['to a member who cannot buy any', { role: 'ORG_COLLABORATOR' }],
  ['where plans cannot be bought', { payment: 'none' }],
])('ERR-24: no plans are offered %s', async (_, given) => {
  await refuse(given)
  expect(screen.queryByRole('button', { name: 'Show plans' })).toBeNull()
})
