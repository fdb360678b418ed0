// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { TestRow } from './test-row.tsx'
import type { TestedSync } from './test-row-words.ts'

const of: TestedSync = {
  model: 'workspaces/w1/models/m1',
  destination: 'workspaces/w1/destinations/d1',
  object: 'table',
  object_name: 'buyers',
  mode: 'UPDATE_ONLY',
  identifier: 'id',
  fields: [{ column: 'id', target: 'id' }],
}

const row = { found: true, source_key: '7', key: '7', operation: 'update', payload: '{"id":7}', reason: '' }
const sent = {
  ...row,
  outcome: 'delivered',
  http_status: 200,
  latency_ms: 12,
  request: 'PATCH x',
  response: 'HTTP 200',
}

const open = (preview: object, ofEvents = false) => {
  const bodies: [string, unknown][] = []
  openInWorkspace(<TestRow of={of} primaryKey={['id']} destination="Warehouse" ofEvents={ofEvents} />, {
    answers: (path, init) => {
      if (!path.includes('/syncs:')) return undefined
      bodies.push([path.split(':')[1] ?? '', JSON.parse(init?.body as string)])
      return Response.json(path.endsWith(':previewRow') ? preview : sent)
    },
  })
  return bodies
}

const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send test row' })

test('a row is sent only after it was looked up and a dialog has warned that it changes the destination', async () => {
  const bodies = open(row)
  expect(sendButton().disabled).toBe(true)
  await userEvent.selectOptions(screen.getByLabelText('Row'), 'By primary key')
  await userEvent.type(screen.getByLabelText('id'), '7')
  await userEvent.click(screen.getByRole('button', { name: 'Preview row' }))
  await screen.findByText('Operation')
  await userEvent.click(sendButton())
  const dialog = await screen.findByRole('dialog', { name: 'Send test row' })
  expect(dialog.textContent).toContain('This changes data in Warehouse')
  expect(dialog.textContent).toContain('is updated there, if there is one')
  expect(bodies).toEqual([['previewRow', { ...of, key: ['7'] }]])
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  expect(await screen.findByText('Delivered')).toBeTruthy()
  expect(bodies.slice(1)).toEqual([['sendTestRow', { ...of, key: ['7'] }]])
})

test('an invalid row shows the reason and cannot be sent; a row with another key than the looked-up one cannot be sent, either', async () => {
  const bodies = open({ ...row, payload: '', key: '', reason: 'id is empty' })
  await userEvent.click(screen.getByRole('button', { name: 'Preview row' }))
  expect(await screen.findByText(/This row is invalid and would not be sent: id is empty/)).toBeTruthy()
  expect(sendButton().disabled).toBe(true)
  await userEvent.selectOptions(screen.getByLabelText('Row'), 'By primary key')
  expect(screen.queryByText(/This row is invalid/)).toBeNull()
  expect(sendButton().disabled).toBe(true)
  expect(bodies).toEqual([['previewRow', of]])
})

test('rows that become events are shown, and no send is offered', async () => {
  open({ ...row, operation: 'event', payload: '{"type":"track"}' }, true)
  await userEvent.click(screen.getByRole('button', { name: 'Preview row' }))
  expect(await screen.findByText('A message ID that no column gives is made when the sync runs.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Send test row' })).toBeNull()
})
