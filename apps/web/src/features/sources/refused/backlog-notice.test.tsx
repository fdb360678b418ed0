// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import type { RefusedRequest } from '@tributary/contract'
import { expect, test } from 'vitest'
import { refusedQuery } from '../../../lib/queries/event-queries.ts'
import { renderUi } from '../../../testing/render.tsx'
import { BacklogNotice } from './backlog-notice.tsx'

const source = 'workspaces/w/sources/s'
const row = (more: Partial<RefusedRequest>): RefusedRequest => ({
  source,
  source_title: 'Shop',
  source_deleted: false,
  key_hint: '',
  reason: 'WORKSPACE_BACKLOG',
  code: 429,
  count: 1200,
  last_time: '2026-03-04T05:06:07.000Z',
  ongoing: true,
  message: 'Later',
  sample: '',
  ...more,
})

const open = (...rows: RefusedRequest[]) => {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  cache.setQueryData(refusedQuery(source).queryKey, rows)
  renderUi(
    <QueryClientProvider client={cache}>
      <BacklogNotice source={source} />
    </QueryClientProvider>,
  )
  return screen.queryByRole('region', { name: 'Events are being refused' })
}

test('while requests get 429, the page shows how many, and what to do', () => {
  const notice = open(row({ reason: 'INVALID_JSON', code: 400 }), row({}))
  expect(notice?.textContent).toContain('1,200 requests')
  expect(notice?.textContent).toContain('Slow down or stop imports')
  expect(screen.getByRole('link', { name: 'Refused requests' }).getAttribute('href')).toBe(`/${source}#refused`)
})

test.each([
  ['they are over', row({ ongoing: false })],
  ['others are refused', row({ reason: 'INVALID_JSON', code: 400 })],
])('no notice is shown if %s', (_, refused) => {
  expect(open(refused)).toBeNull()
})
