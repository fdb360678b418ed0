// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderUi } from '../../../../testing/render.tsx'
import { ChangeTypeDialog } from './change-type-dialog.tsx'

const destination = 'workspaces/w1/destinations/d1'

afterEach(() => vi.unstubAllGlobals())

/** Shows the dialog with a server that answers the counts in turn, and returns the calls that it receives. */
const show = (counts: readonly { status?: number; body: unknown }[]) => {
  const calls: [path: string, body: unknown][] = []
  const waiting = [...counts]
  vi.stubGlobal('fetch', (path: string, { body }: RequestInit) => {
    calls.push([path.replace(/^.*:/, ''), typeof body === 'string' ? JSON.parse(body) : undefined])
    const answer = path.endsWith(':countConversion') ? waiting.shift() : { status: 500, body: {} }
    return Promise.resolve(Response.json(answer?.body, { status: answer?.status ?? 200 }))
  })
  renderUi(
    <QueryClientProvider client={new QueryClient()}>
      <ChangeTypeDialog
        destination={destination}
        table="order_completed"
        column="total"
        type="String"
        types={['String', 'Float64', 'Bool']}
        onChanging={() => undefined}
        onClosed={() => undefined}
      />
    </QueryClientProvider>,
  )
  return calls
}

const choose = (value: string): boolean => fireEvent.change(screen.getByLabelText('New type'), { target: { value } })
const confirm = () => screen.getByRole('button', { name: 'Change type' })

test('a type is changed only after the warehouse has counted the values that convert', async () => {
  const calls = show([{ body: { value_count: 12, convert_count: 10, from_extra_count: 3, examples: ['n/a', 'free'] } }])
  expect(confirm()).toHaveProperty('disabled', true)
  // The type that the column has is no choice.
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Choose a type',
    'Float64',
    'Bool',
  ])
  choose('Float64')
  expect(confirm()).toHaveProperty('disabled', true)
  await screen.findByText(
    '10 of 12 values convert. 2 values move to extra_properties. 3 values come back from extra_properties.',
  )
  expect(screen.getByText('n/a')).toBeDefined()
  const change = { table: 'order_completed', column: 'total', type: 'Float64' }
  expect(calls).toEqual([['countConversion', change]])
  fireEvent.click(confirm())
  await screen.findByRole('alert')
  expect(calls.at(-1)).toEqual(['changeColumn', { kind: 'change_type', ...change }])
})

test('the words of a warehouse that can not count are shown, and it is asked again on request', async () => {
  const refusal = {
    code: 412,
    reason: 'DESTINATION_UNREACHABLE',
    message: 'The warehouse could not be reached.',
    metadata: { detail: 'Code: 516. Authentication failed' },
  }
  show([
    { status: 412, body: refusal },
    { body: { value_count: 1, convert_count: 1, from_extra_count: 0, examples: [] } },
  ])
  choose('Bool')
  expect((await screen.findByRole('alert')).textContent).toContain('Code: 516. Authentication failed')
  expect(confirm()).toHaveProperty('disabled', true)
  fireEvent.click(screen.getByRole('button', { name: 'Count again' }))
  await screen.findByText('1 of 1 value converts.')
  expect(confirm()).toHaveProperty('disabled', false)
})
