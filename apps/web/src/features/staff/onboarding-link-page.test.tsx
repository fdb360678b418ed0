// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { loginAnswer } from '../../testing/login-answer.ts'
import { config, openInWorkspace, workspaceOn } from '../../testing/page.tsx'
import { OnboardingLinkPage } from './onboarding-link-page.tsx'

const made = {
  user: { ...loginAnswer.user, email: 'ben@acme.example' },
  organization: workspaceOn('plans/free').organization,
  workspace: workspaceOn('plans/free'),
  onboarding_token: 'token',
  invoice_url: '',
}

/**
 * Opens the page on an installation whose configuration is the given response. `sent` contains the bodies of the create
 * calls.
 */
const openPage = async (configAnswer: () => Response) => {
  const sent: unknown[] = []
  const { settled } = openInWorkspace(<OnboardingLinkPage />, {
    answers: (path, init) => {
      if (path === '/config') return configAnswer()
      if (path === '/onboardings') return Response.json({ onboardings: [], next_page_token: '' })
      if (path !== '/users:onboard') return undefined
      sent.push(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'))
      return Response.json(made)
    },
  })
  await settled()
  return { sent, form: within(screen.getByRole('form', { name: 'Onboarding link' })) }
}

const withPayment = (payment: string) => () => Response.json({ ...config, payment })
const unknown = () =>
  Response.json({ code: 500, reason: 'FAILED', message: 'Internal error', metadata: {} }, { status: 500 })

test.each(['sandbox', 'stripe'])('staff must enter both amounts if %s takes payments', async (payment) => {
  const { form } = await openPage(withPayment(payment))
  expect(await form.findByLabelText(/^Yearly amount/)).toHaveProperty('value', '0.00')
  expect(form.getByLabelText(/^Setup amount/)).toHaveProperty('value', '0.00')
})

// If the configuration cannot be loaded, the call is retried for a while, so this case comes last.
test.each([
  ['takes no payments', withPayment('none')],
  ['does not say what it is configured with', unknown],
])('staff enter no amounts if the installation %s, and none are charged', async (_, answer) => {
  const { sent, form } = await openPage(answer)
  expect(form.queryAllByLabelText(/amount/)).toEqual([])
  expect(form.queryAllByText('$')).toEqual([])
  const user = userEvent.setup()
  await user.type(form.getByRole('textbox', { name: /Organization name/ }), 'Brand New')
  await user.type(form.getByRole('textbox', { name: /Email/ }), 'ben@acme.example')
  await user.type(form.getByRole('textbox', { name: /First name/ }), 'Ben')
  await user.type(form.getByRole('textbox', { name: /Last name/ }), 'Bell')
  await user.click(form.getByRole('button', { name: 'Generate onboarding link' }))
  await screen.findByText('Onboarding link')
  expect(sent).toMatchObject([{ yearly_amount: '0.00', setup_amount: '0.00' }])
  expect(screen.queryByText('Setup-fee invoice link')).toBeNull()
})
