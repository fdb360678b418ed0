// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { ApiError, type ErrorBody } from '../../lib/api/errors.ts'
import { renderUi } from '../../testing/render.tsx'
import { Form, SubmitButton, TextField } from './form.tsx'

const schema = z.object({ title: z.string(), email: z.string() })

const Example = ({ refusal, custom = false }: { refusal: Partial<ErrorBody>; custom?: boolean }) => {
  const form = useApiForm<z.infer<typeof schema>>(schema, { title: '', email: '' })
  return (
    <Form
      form={form}
      label="Example"
      onSubmit={() => Promise.reject(new ApiError(400, refusal, 'fallback'))}
      {...(custom ? { renderError: ({ message, code }) => <output>{`${code}: ${message}`}</output> } : {})}
    >
      <TextField name="title" label="Title" />
      <TextField name="email" label="Email" />
      <SubmitButton>Save</SubmitButton>
    </Form>
  )
}

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Save' }))
const described = (name: string): string | null => {
  const id = screen.getByRole('textbox', { name }).getAttribute('aria-describedby')
  return id === null ? null : (document.getElementById(id)?.textContent ?? null)
}

test('ERR-22: each message is shown below its field, and the first field with a message gets the focus', async () => {
  renderUi(<Example refusal={{ code: 400, message: 'm', metadata: { email: 'taken', title: 'bad' } }} />)
  await submit()
  expect([described('Title'), described('Email')]).toEqual(['Bad', 'Taken'])
  expect(screen.queryByText('m')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Email' }))
})

test('ERR-26: a message for the whole form is one small red pill at the end of the form', async () => {
  renderUi(<Example refusal={{ code: 409, reason: 'IN_USE', message: 'A sync still runs', metadata: {} }} />)
  await submit()
  const pill = screen.getByRole('alert')
  expect(pill.textContent).toBe('A sync still runs')
  expect(screen.getByRole('form', { name: 'Example' }).lastElementChild).toBe(pill)
  expect(pill.className).toContain('rounded-full')
  expect(pill.className).toContain('text-danger-ink')
})

test('ERR-27: a form with a custom error renderer passes it the message and code, and shows no pill', async () => {
  renderUi(<Example custom refusal={{ code: 402, reason: 'UPGRADE_REQUIRED', message: 'Too many', metadata: {} }} />)
  await submit()
  expect(screen.getByRole('status').textContent).toBe('402 UPGRADE_REQUIRED: Too many')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('ERR-21: a settings entry that names no field of the form applies to the whole form, with code 402', async () => {
  renderUi(
    <Example custom refusal={{ code: 400, message: 'm', metadata: { settings: 'not allowed', title: 'bad' } }} />,
  )
  await submit()
  expect(screen.getByRole('status').textContent).toBe('402: Not allowed')
  expect(described('Title')).toBeNull()
})
