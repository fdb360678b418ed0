// @vitest-environment happy-dom

import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Setting, SettingOption } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../lib/api/errors.ts'
import { renderUi } from '../../testing/render.tsx'
import { settingOption } from '../../testing/setting-option.ts'
import { SettingsCard } from './settings-card.tsx'

// This file tests a plain field instead of the editor; kit.spec.ts tests the editor itself.
vi.mock('../../ui/code/code-mirror.ts', () => {
  throw new Error('cannot be loaded')
})

const show = (part: Partial<SettingOption>, value: string | null, refusal?: Record<string, string>) => {
  const saved: unknown[] = []
  const setting: Setting = { ...settingOption(part), value, is_set: value !== null }
  renderUi(
    <SettingsCard
      description=""
      settings={[setting]}
      mayEdit
      onSave={(change) => {
        saved.push(change)
        return refusal === undefined
          ? Promise.resolve()
          : Promise.reject(new ApiError(400, { reason: 'VALIDATION', metadata: refusal }, 'refused'))
      }}
    />,
  )
  return saved
}

const statement = { name: 'statement', display_name: 'Statement', type: 'sql', required: true } as const
const button = (name: string) => screen.getByRole('button', { name })

test('MAP-07: a query is shown with Edit, which opens an editor, and Cancel restores the saved query', async () => {
  const saved = show(statement, 'select 1')
  expect(screen.getByText('select 1').tagName).toBe('PRE')
  expect(screen.queryByRole('textbox')).toBeNull()
  const user = userEvent.setup()
  await user.click(button('Edit Statement'))
  const editor = screen.getByRole('textbox', { name: /Statement/ })
  expect((editor as HTMLTextAreaElement).value).toBe('select 1')
  await user.clear(editor)
  await user.type(editor, 'select 2')
  await user.click(button('Cancel'))
  expect(screen.getByText('select 1').tagName).toBe('PRE')
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(saved).toEqual([])
})

test('MAP-08: a query that cannot be changed has no Edit once it has a value, and its first value can be set', async () => {
  const saved = show({ ...statement, editable: false }, 'select 1')
  expect(screen.getByText('select 1')).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
  expect(saved).toEqual([])
})

test('the first value of a setting that cannot be changed later is saved', async () => {
  const saved = show({ ...statement, editable: false }, null)
  const user = userEvent.setup()
  await user.click(button('Edit Statement'))
  await user.type(screen.getByRole('textbox', { name: /Statement/ }), 'select 3')
  await user.click(button('Save'))
  expect(saved).toEqual([{ name: 'statement', value: 'select 3' }])
})

test("the error of a query appears below the editor in the server's words, with the database's message (MAP-09)", async () => {
  const words = 'Please verify that the SQL Query is valid.'
  const detail = 'relation "nowhere" does not exist'
  show(statement, 'select 1', { value: words, detail })
  const user = userEvent.setup()
  await user.click(button('Edit Statement'))
  await user.type(screen.getByRole('textbox', { name: /Statement/ }), ' from')
  await user.click(button('Save'))
  await waitFor(() => expect(screen.getByText(words)).toBeTruthy())
  const editor = screen.getByRole('textbox', { name: /Statement/ })
  expect(editor.getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(editor.getAttribute('aria-describedby') ?? '')?.textContent).toBe(`${words}${detail}`)
})

test('MAP-10a: an empty query is rejected without a request', async () => {
  const saved = show(statement, 'select 1')
  const user = userEvent.setup()
  await user.click(button('Edit Statement'))
  await user.clear(screen.getByRole('textbox', { name: /Statement/ }))
  await user.click(button('Save'))
  expect(screen.getByText('Required')).toBeTruthy()
  expect(saved).toEqual([])
})

test('a query that is not required cannot be cleared, and has no reset button (FORM-39)', async () => {
  const saved = show({ ...statement, required: false }, 'select 1')
  const user = userEvent.setup()
  await user.click(button('Edit Statement'))
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel', 'Save'])
  await user.clear(screen.getByRole('textbox', { name: /Statement/ }))
  await user.click(button('Save'))
  expect(screen.getByText('Required')).toBeTruthy()
  expect(saved).toEqual([])
})

test.each([
  [null, 'Remove'],
  ['events', 'Use the default'],
])('FORM-39: an optional setting is not saved empty; with the default %j, %s resets it', async (preset, label) => {
  const saved = show({ name: 'prefix', display_name: 'Prefix', default: preset }, 'archive')
  const user = userEvent.setup()
  const input = screen.getByRole('textbox', { name: 'Prefix' })
  await user.clear(input)
  await user.click(button('Save'))
  expect(screen.getByText('Required')).toBeTruthy()
  expect(input.getAttribute('aria-invalid')).toBe('true')
  expect(saved).toEqual([])
  await user.click(button('Discard'))
  await user.click(button(label))
  expect(saved).toEqual([{ name: 'prefix', value: null }])
})

test('a setting at its default, a required one, and one without a value cannot be reset', () => {
  show({ name: 'a', default: 'events' }, 'events')
  show({ name: 'b', required: true }, 'archive')
  show({ name: 'c' }, null)
  expect(screen.queryByRole('button')).toBeNull()
})

test('an invalid template shows its error and cannot be applied; after a fix, Apply saves it (MAP-13, MAP-15)', async () => {
  const saved = show({ name: 'message', display_name: 'Message', type: 'text-template' }, 'Hello')
  const user = userEvent.setup()
  const editor = screen.getByRole('textbox', { name: 'Message' })
  await user.type(editor, ' {{{{ userId')
  await waitFor(() => expect(screen.getByText(/^Error at >> 1\| Hello/)).toBeTruthy())
  expect(button('Apply').hasAttribute('disabled')).toBe(true)
  await user.type(editor, ' }}')
  await waitFor(() => expect(button('Apply').hasAttribute('disabled')).toBe(false))
  expect(screen.queryByText(/^Error at/)).toBeNull()
  await user.click(button('Apply'))
  expect(saved).toEqual([{ name: 'message', value: 'Hello {{ userId }}' }])
})

const password = {
  ...settingOption({ name: 'password', display_name: 'Password', type: 'secret', is_secret: true }),
  sent_to: [
    { name: 'host', by: 'value' as const },
    { name: 'tls', by: 'value' as const },
  ],
  value: null,
  is_set: true,
}
const host: Setting = { ...settingOption({ name: 'host', display_name: 'Host' }), value: 'db.example', is_set: true }
const choices = ['verify', 'off'].map((value) => ({ value, title: value }))
const tls: Setting = {
  ...settingOption({ name: 'tls', display_name: 'Encryption', type: 'select', required: true, choices }),
  value: 'verify',
  is_set: true,
}
const showTarget = (setting: Setting, secret: Setting = password) => {
  const saved: unknown[] = []
  const onSave = async (change: unknown): Promise<void> => void saved.push(change)
  renderUi(<SettingsCard description="" settings={[setting, secret]} mayEdit onSave={onSave} />)
  return saved
}
const again = () => screen.queryByLabelText(/Password for the new address/)

test('a changed target requires the secret that is sent there, shows why, and saves both together', async () => {
  const saved = showTarget(host)
  expect(again()).toBeNull()
  const user = userEvent.setup()
  await user.type(screen.getByRole('textbox', { name: 'Host' }), '.org')
  expect(screen.getByText(/changes where secrets are sent/)).toBeTruthy()
  expect(again()?.getAttribute('value')).toBe('')
  expect(again()?.getAttribute('aria-required')).toBe('true')
  await user.click(button('Save'))
  expect(screen.getByText('Required')).toBeTruthy()
  expect(saved).toEqual([])
  await user.type(again() ?? document.body, 's3cret')
  await user.click(button('Save'))
  expect(saved).toEqual([{ name: 'host', value: 'db.example.org', secrets: { password: 's3cret' } }])
})

test('a choice that decides who can read a secret is saved together with the secret', async () => {
  const saved = showTarget(tls)
  const user = userEvent.setup()
  await user.selectOptions(screen.getByRole('combobox', { name: /Encryption/ }), 'off')
  expect(saved).toEqual([])
  await user.type(again() ?? document.body, 's3cret')
  await user.click(button('Save'))
  expect(saved).toEqual([{ name: 'tls', value: 'off', secrets: { password: 's3cret' } }])
})

test('without a stored secret, a changed target requires nothing; a choice is saved by Save, like typed values', async () => {
  const saved = showTarget(tls, { ...password, is_set: false })
  const user = userEvent.setup()
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  await user.selectOptions(screen.getByRole('combobox', { name: /Encryption/ }), 'off')
  expect(again()).toBeNull()
  expect(saved).toEqual([])
  await user.click(button('Save'))
  expect(saved).toEqual([{ name: 'tls', value: 'off' }])
})
