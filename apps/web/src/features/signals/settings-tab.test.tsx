// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { aPreview, aSignal, metaOption } from '../../testing/signals.ts'
import { SettingsTab } from './settings-tab.tsx'

const warning = (field: string) => ({ id: '', field, nearest: 'total', message: `Unknown ${field}` })
const warnings = ['trigger.events.0.event_name', 'value.amount_path', 'event_id.path'].map(warning)

const open = (role: string, answer: () => Response = () => Response.json(aSignal)) => {
  const sent: { url: string; body: unknown }[] = []
  const answers = (path: string, init?: RequestInit): Response | undefined => {
    if (init?.method === 'PATCH') {
      sent.push({ url: path, body: JSON.parse(init.body as string) })
      return answer()
    }
    if (path.endsWith('/sources')) return Response.json({ sources: [], next_page_token: '' })
    if (path.endsWith('signals:preview')) return Response.json({ ...aPreview, warnings })
    if (path.endsWith('signals:listPlatforms')) return Response.json({ platforms: [metaOption], next_page_token: '' })
    if (path.endsWith('audiences:suggest')) return Response.json({ suggestions: [] })
    if (path.endsWith('/catalogDestinations')) return Response.json({ catalog_destinations: [], next_page_token: '' })
    return undefined
  }
  return { ...openInWorkspace(<SettingsTab signal={aSignal} />, { role, answers }), sent }
}
const card = (name: string) => within(screen.getByRole('region', { name }))

test('a part of a signal is saved separately, based on the loaded revision', async () => {
  const { sent } = open('ORG_ADMIN')
  const value = card('Value')
  await waitFor(() => expect(value.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true))
  await userEvent.click(value.getByRole('radio', { name: /^A fixed value/ }))
  await userEvent.click(value.getByRole('button', { name: 'Save' }))
  expect(value.getByText(/Enter a number that is not negative/)).toBeDefined()
  await userEvent.type(value.getByRole('textbox', { name: /^Value/ }), '12,50')
  await userEvent.click(value.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(sent).toHaveLength(1))
  expect(sent[0]?.body).toEqual({ value: { type: 'fixed', amount: 12.5, currency: 'USD' }, revision: 4 })
})

test('a rejected value shows its error at its part, and the input stays', async () => {
  const message = 'Someone else changed the signal'
  open('ORG_ADMIN', () =>
    Response.json({ code: 400, reason: 'SIGNAL_INCOMPLETE', message, metadata: {} }, { status: 400 }),
  )
  const id = card('Event ID')
  await userEvent.click(id.getByRole('radio', { name: /^Message ID/ }))
  await userEvent.click(id.getByRole('button', { name: 'Save' }))
  expect((await id.findByRole('alert')).textContent).toContain(message)
  expect(id.getByRole('radio', { name: /^Message ID/ })).toHaveProperty('checked', true)
})

test('a guest sees the settings of a signal and cannot change them', async () => {
  open('ORG_GUEST')
  expect(await screen.findByText(/As a guest, you can view these settings/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Delete signal' })).toBeNull()
  expect(screen.queryByText(/^Unknown/)).toBeNull()
  expect(card('Value').getByRole('radio', { name: /^None/ }).closest('fieldset')).toHaveProperty('disabled', true)
})

test('a name that was never received is reported at its field, and nowhere else', async () => {
  open('ORG_ADMIN')
  const texts = async (name: string) => {
    await waitFor(() => expect(card(name).queryAllByRole('status')).toHaveLength(1))
    return card(name)
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
  }
  expect(await texts('Events')).toEqual(['Unknown trigger.events.0.event_name'])
  expect(await texts('Value')).toEqual(['Unknown value.amount_path'])
  expect(await texts('Event ID')).toEqual(['Unknown event_id.path'])
  expect(card('Conversion').queryByRole('status')).toBeNull()
})
