// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { audienceQuery } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { EstimatePanel } from './estimate-panel.tsx'

const queries = [{ id: 'cccc', type: 'event', selectedEvent: 'Seen' }]
const tree = audienceQuery.parse({ groups: { aaaa: { segments: [{ id: 'bbbb', queries }] } } })

const answer = (exact: boolean, size: number): Response =>
  Response.json({
    as_of: '2026-01-01T00:00:00Z',
    exact,
    size,
    email_count: 0,
    phone_count: 0,
    device_count: size,
    sample: [],
  })

/** Renders the panel with a server that handles one call at a time; the test sends the last response. */
const show = (first: Response) => {
  const next = Promise.withResolvers<Response>()
  const answers = [first]
  openInWorkspace(<EstimatePanel query={tree} />, {
    answers: (path) => (path.endsWith('audiences:preview') ? (answers.shift() ?? next.promise) : undefined),
  })
  return { follow: next.resolve }
}

test("an estimate is shown with 'about', and the exact number replaces it", async () => {
  const { follow } = show(answer(false, 12_345))
  expect(await screen.findByText('about 12,300')).toBeDefined()
  expect(screen.getByText('Estimated from a sample. Counting every profile…')).toBeDefined()
  follow(answer(true, 12_297))
  expect(await screen.findByText('12,297')).toBeDefined()
  expect(screen.queryByText(/about|Estimated/)).toBeNull()
  expect(screen.getByText(/^Exact as of/)).toBeDefined()
})

test('an empty sample shows no number, but an exact zero does', async () => {
  const { follow } = show(answer(false, 0))
  follow(answer(true, 7))
  expect(await screen.findByText('7')).toBeDefined()
  expect(screen.queryByText(/about/)).toBeNull()
})
