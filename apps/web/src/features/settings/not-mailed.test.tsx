// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { useSession } from '../../lib/people/session.ts'
import { loginAnswer } from '../../testing/login-answer.ts'
import { config, openInWorkspace, workspaceOn } from '../../testing/page.tsx'
import { CodesNotMailed } from '../auth/one-time-code.tsx'
import { OnboardingLinkPage } from '../staff/onboarding-link-page.tsx'
import { ChangePasswordPage } from './change-password-page.tsx'
import { InvitationsCard } from './invitations-card.tsx'

const answers: Readonly<Record<string, unknown>> = {
  '/organizations/o1/invitations': {
    invitations: [
      {
        name: 'organizations/o1/invitations/i1',
        invitee_email: 'ben@acme.example',
        inviter: 'Ada',
        role: { value: 'ORG_GUEST' },
        create_time: '2026-01-01T00:00:00Z',
        send_time: '2026-01-01T00:00:00Z',
        expire_time: '2026-01-08T00:00:00Z',
      },
    ],
    next_page_token: '',
  },
  '/users:onboard': {
    user: { ...loginAnswer.user, email: 'ben@acme.example' },
    organization: workspaceOn('plans/free').organization,
    workspace: workspaceOn('plans/free'),
    onboarding_token: 'token',
    invoice_url: '',
  },
}

const open = async (part: ReactNode, mail_enabled: boolean): Promise<void> => {
  const { settled } = openInWorkspace(part, {
    answers: (path) => {
      const answer = path === '/config' ? { ...config, mail_enabled } : answers[path]
      return answer === undefined ? undefined : Response.json(answer)
    },
  })
  // If the sign-in returned no token, a change of the password needs a code.
  act(() => {
    useSession.setState({ passwordOTPToken: null })
  })
  await settled()
}

const missing = /No mail server is set up/
const note = () => screen.queryByText(missing)

const parts = [
  ['signing in by a code', <CodesNotMailed key="code" />],
  ['changing the password', <ChangePasswordPage key="password" />],
  ['pending invitations', <InvitationsCard key="invitations" organization="organizations/o1" />],
] as const

test.each(parts)('%s says that nothing is emailed if no mail server is set up', async (_, part) => {
  await open(part, false)
  await screen.findByText(missing)
  expect(document.body.textContent).not.toMatch(/mailed to|was sent/)
})

test.each(parts)('%s does not mention mail servers if there is one', async (_, part) => {
  await open(part, true)
  expect(note()).toBeNull()
})

test.each([
  [true, 'We emailed the onboarding link to ben@acme.example. It works once, and is not shown again.'],
  [
    false,
    'No mail server is set up: copy the onboarding link and send it to ben@acme.example yourself. It works once, and is not shown again.',
  ],
])('an onboarding link is shown as emailed only if a mail server is set up (%s)', async (mailEnabled, text) => {
  await open(<OnboardingLinkPage />, mailEnabled)
  const user = userEvent.setup()
  await user.type(screen.getByRole('textbox', { name: /Organization name/ }), 'Brand New')
  await user.type(screen.getByRole('textbox', { name: /Email/ }), 'ben@acme.example')
  await user.type(screen.getByRole('textbox', { name: /First name/ }), 'Ben')
  await user.type(screen.getByRole('textbox', { name: /Last name/ }), 'Bell')
  await user.click(screen.getByRole('button', { name: 'Generate onboarding link' }))
  await screen.findByText(text)
})
